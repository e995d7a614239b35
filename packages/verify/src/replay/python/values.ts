/** How values become text: arguments that can be made again, and results that can be compared. */
export const VALUES = `MOST = 1 << 18
SHOWN = 4096
DEEPEST = 8
objects = {}
kept = []
inside = contextvars.ContextVar("inside", default=False)


class NotPlain(Exception):
    pass


def expression(value, depth=0):
    """Python that makes the value again."""
    if id(value) in objects:
        return "_o(%r)" % objects[id(value)]
    of = lambda one: expression(one, depth + 1)
    kind = type(value)
    if value is None or kind in (bool, int, str, bytes):
        return repr(value)
    if kind in (float, complex):
        return "%s(%r)" % (kind.__name__, repr(value))
    if depth > DEEPEST:
        raise NotPlain
    if kind in (list, set, frozenset):
        return "%s([%s])" % (kind.__name__, ", ".join(map(of, value))) if kind is not list else "[%s]" % ", ".join(map(of, value))
    if kind is tuple:
        return "(%s)" % "".join(of(one) + ", " for one in value)
    if kind is dict:
        return "{%s}" % ", ".join("%s: %s" % (of(key), of(one)) for key, one in value.items())
    if (kind.__module__, kind.__name__) in (("datetime", "date"), ("datetime", "datetime"), ("datetime", "time"), ("datetime", "timedelta")):
        if getattr(value, "tzinfo", None) is None:
            return repr(value)
    if (kind.__module__, kind.__name__) in (("decimal", "Decimal"), ("fractions", "Fraction"), ("uuid", "UUID")):
        return "%s.%r" % (kind.__module__, value)
    raise NotPlain


def canonical_text(value, depth=0, above=()):
    """A result as text that is equal for equal values, whatever its own comparison says."""
    of = lambda one: canonical_text(one, depth + 1, above + (id(value),))
    kind = type(value)
    if value is None or kind in (bool, int, float, complex, str, bytes):
        return repr(value)
    if id(value) in above or depth > DEEPEST:
        return "..."
    if kind in (list, tuple):
        return "%s(%s)" % (kind.__name__, ", ".join(map(of, value))) if kind is tuple else "[%s]" % ", ".join(map(of, value))
    if kind in (set, frozenset):
        return "%s{%s}" % (kind.__name__, ", ".join(sorted(map(of, value))))
    if kind is dict:
        return "{%s}" % ", ".join("%s: %s" % (of(key), of(one)) for key, one in value.items())
    for base in (int, float, str, bytes, list, tuple, dict):
        if isinstance(value, base):
            if base in (list, tuple):
                inner = of(list(base.__iter__(value)))
            else:
                inner = of(dict(dict.items(value))) if base is dict else base.__repr__(value)
            return "%s(%s)" % (kind.__qualname__, inner)
    if inspect.isfunction(value) or inspect.isbuiltin(value) or inspect.isclass(value) or inspect.ismodule(value):
        return getattr(value, "__qualname__", getattr(value, "__name__", "?"))
    if isinstance(value, BaseException):
        return "%s(%s)%s" % (kind.__qualname__, ", ".join(map(of, value.args)), of(vars(value)) if vars(value) else "")
    named = kind.__module__ + "." + kind.__qualname__
    parts = dict(getattr(value, "__dict__", {}))
    for base in kind.__mro__:
        slots = vars(base).get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            if hasattr(value, slot) and not slot.startswith("__"):
                parts[slot] = getattr(value, slot)
    if not parts and kind.__repr__ is not object.__repr__:
        return repr(value)
    return "%s(%s)" % (named, ", ".join("%s=%s" % (key, of(one)) for key, one in sorted(parts.items())))


def serialize(value):
    try:
        if inspect.isgenerator(value) or inspect.isawaitable(value):
            return None
        return shortened(canonical_text(value))
    except Exception:
        return None


def shortened(text):
    if len(text) < SHOWN:
        return text
    digest = hashlib.sha256(text.replace(os.getcwd(), "").encode("utf-8", "replace")).hexdigest()
    return "%s... %d %s" % (text[:SHOWN], len(text), digest)


def thrown(error):
    more = serialize(vars(error)) if vars(error) else None
    return "threw %s: %s%s" % (type(error).__name__, shortened(str(error)), " " + more if more else "")


def arguments(given, named):
    try:
        text = ", ".join([expression(one) for one in given] + ["%s=%s" % (key, expression(one)) for key, one in named.items()])
        return "(%s)" % text if len(text) < MOST else None
    except Exception:
        return None


def state(one, given, named):
    """What a call can change beside what it gives: the object that it is called on, and its arguments."""
    return serialize([one, list(given), dict(named)])


def changed(before, one, given, named):
    after = state(one, given, named)
    return "" if before == after or after is None else " and left " + after


def outcome(value, left):
    text = serialize(value)
    return None if text is None else text + left
`;
