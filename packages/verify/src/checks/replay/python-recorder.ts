import { AHEAD_MS } from "./clock.ts";

/**
 * Runs in the project's own interpreter: as `sitecustomize` it wraps the functions and classes of changed modules right
 * after these were loaded, and notes their calls; a program or a test of ours calls `replay`.
 */
export const PYTHON_RECORDER = String.raw`import contextvars
import functools
import importlib
import importlib.machinery
import inspect
import json
import os
import sys
import time
import uuid

MOST = 4096
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


def shape(value, depth=0, above=()):
    """A result as text that is equal for equal values, whatever its own comparison says."""
    of = lambda one: shape(one, depth + 1, above + (id(value),))
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
        return "%s(%s)" % (kind.__qualname__, ", ".join(map(of, value.args)))
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


def told(value):
    try:
        if inspect.isgenerator(value) or inspect.isawaitable(value):
            return None
        text = shape(value)
        return text if len(text) < MOST else None
    except Exception:
        return None


def thrown(error):
    return "threw %s: %s" % (type(error).__name__, str(error)[:500])


def arguments(given, named):
    try:
        text = ", ".join([expression(one) for one in given] + ["%s=%s" % (key, expression(one)) for key, one in named.items()])
        return "(%s)" % text if len(text) < MOST else None
    except Exception:
        return None


class Notes:
    def __init__(self, root, log):
        self.root, self.log, self.own, self.last = root, log, uuid.uuid4().hex[:10], 0
        self.described = False

    def next(self):
        self.last += 1
        return "%s-%d-%d" % (self.own, os.getpid(), self.last)

    def write(self, line):
        with open(self.log, "a") as file:
            file.write(json.dumps(line) + "\n")

    def describe(self):
        if not self.described:
            self.described = True
            below = [os.path.abspath(path) for path in sys.path]
            self.write({"program": sys.executable, "paths": [path for path in below if path == self.root or path.startswith(self.root + os.sep)]})

    def around(self, f, about, mark=False, skip=0, object_of=None):
        """The function itself, with every call noted that comes from outside."""
        def begin(given, named):
            about_it = dict(about)
            if mark and inside.get():
                return None
            if object_of is not None:
                about_it["object"] = object_of(given[0])
                if about_it["object"] is None:
                    return None
            args = arguments(given[skip:], named)
            return None if args is None else {**about_it, "args": args}

        def finish(noted, gave):
            try:
                self.describe()
                self.write({**noted, "gave": None if noted["kind"] == "new" else gave})
            except OSError:
                pass

        if inspect.iscoroutinefunction(f):
            @functools.wraps(f)
            async def note(*given, **named):
                noted = begin(given, named)
                token = inside.set(True) if mark else None
                try:
                    out = await f(*given, **named)
                except Exception as error:
                    if noted: finish(noted, thrown(error))
                    raise
                finally:
                    if token: inside.reset(token)
                if noted: finish(noted, told(out))
                return out
            return note

        @functools.wraps(f)
        def note(*given, **named):
            noted = begin(given, named)
            token = inside.set(True) if mark else None
            try:
                out = f(*given, **named)
            except Exception as error:
                if noted: finish(noted, thrown(error))
                raise
            finally:
                if token: inside.reset(token)
            if noted: finish(noted, told(out))
            return out
        return note

    def module(self, module, path):
        for name, value in list(vars(module).items()):
            if getattr(value, "__module__", None) != module.__name__:
                continue
            about = {"module": module.__name__, "name": name}
            if inspect.isfunction(value):
                setattr(module, name, self.around(value, {**about, "kind": "function"}))
            elif inspect.isclass(value) and value.__new__ is object.__new__:
                self.of_class(value, about)

    def of_class(self, cls, about):
        for name, value in list(vars(cls).items()):
            named = {**about, "name": about["name"] + "." + name}
            try:
                if isinstance(value, (staticmethod, classmethod)):
                    skip = 1 if isinstance(value, classmethod) else 0
                    setattr(cls, name, type(value)(self.around(value.__func__, {**named, "kind": "static"}, True, skip)))
                elif inspect.isfunction(value) and not name.startswith("__"):
                    known = lambda one: objects.get(id(one))
                    setattr(cls, name, self.around(value, {**named, "kind": "method"}, True, 1, known))
            except (AttributeError, TypeError):
                pass
        first = cls.__init__

        def made(one):
            if type(one) is not cls:
                return None
            objects[id(one)] = self.next()
            kept.append(one)
            return objects[id(one)]

        noted = self.around(first, {**about, "kind": "new"}, True, 1, made)

        @functools.wraps(first)
        def construct(one, *given, **named):
            # What cannot be made again is not known later on.
            if not inside.get() and arguments(given, named) is None:
                return first(one, *given, **named)
            return noted(one, *given, **named)

        try:
            cls.__init__ = construct
        except (AttributeError, TypeError):
            pass


class Finder:
    """Finds modules as Python does, and has the changed ones wrapped when they were loaded."""

    def __init__(self, notes, files):
        self.notes, self.files = notes, files

    def find_spec(self, name, path=None, target=None):
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        origin = os.path.realpath(spec.origin) if spec and spec.origin else None
        if origin not in self.files or spec.loader is None:
            return None
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            self.notes.module(module, origin)

        spec.loader.exec_module = exec_module
        return spec


def watch(root, files, log):
    sys.meta_path.insert(0, Finder(Notes(root, log), {os.path.realpath(os.path.join(root, file)) for file in files}))


def evaluated(args, made):
    import datetime, decimal, fractions
    names = {"datetime": datetime, "decimal": decimal, "fractions": fractions, "uuid": uuid, "_o": lambda name: made[name]}
    return eval("(lambda *given, **named: (given, named))" + args, names)


def replay(about, output, ordinary):
    if ordinary:
        time.sleep(about["delay"] / 1000)
    if "clock" in about:
        for one in about["calls"]:
            try:
                importlib.import_module(one["module"])
            except Exception:
                pass
        sys.modules["ccw_loop_clock"].advance(${AHEAD_MS})
    made, results = {}, []

    def call(f, given, named):
        out = f(*given, **named)
        import asyncio
        return asyncio.run(out) if inspect.iscoroutine(out) else out

    for one in about["calls"]:
        result = None
        try:
            place = importlib.import_module(one["module"])
            first, _, second = one["name"].partition(".")
            top = getattr(place, first)
            given, named = evaluated(one["args"], made)
        except Exception:
            results.append(None)
            continue
        try:
            if one["kind"] == "new":
                made[one["object"]] = top(*given, **named)
            elif one["kind"] == "method":
                result = told(call(getattr(made[one["object"]], second), given, named)) if one["object"] in made else None
            else:
                result = told(call(getattr(top, second) if second else top, given, named))
        except Exception as error:
            result = thrown(error)
        results.append(result)
    with open(output, "w") as file:
        json.dump(results, file)
`;
