/** See the JavaScript one: functions and classes of the standard library, and of other sources, that a source replaces while it is loaded or called. */
export const RUNTIME = `
LOOKED_AT = 100  # Calls of one process.
STANDARD = os.path.dirname(os.__file__)


def functions_of_library():
    """Every function and class of the modules of the standard library, and the members of these classes, by where it is kept."""
    found = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] not in LIBRARY or not inspect.ismodule(module):
            continue
        for key, value in list(vars(module).items()):
            if not callable(value):
                continue
            found[name + "." + key] = value
            if inspect.isclass(value) and value.__module__ == name:
                for member, one in list(vars(value).items()):
                    if callable(one) or isinstance(one, (staticmethod, classmethod, property)):
                        found[name + "." + key + "." + member] = one
    return found


LIBRARY = frozenset(getattr(sys, "stdlib_module_names", sys.builtin_module_names)) - {"sitecustomize", "usercustomize", "__main__"}


def is_foreign(value):
    """Of a function in a module that was loaded meanwhile: whether it comes from elsewhere."""
    code = getattr(getattr(value, "__func__", value), "__code__", None)
    return code is not None and os.path.isabs(code.co_filename) and not code.co_filename.startswith(STANDARD)


def replaced_since(before):
    for name, value in functions_of_library().items():
        if before[name] is not value if name in before else is_foreign(value):
            yield name


class Offered:
    """A function or class that a module has for others, as it was when the module was loaded."""

    def __init__(self, module, name, place, key):
        self.module, self.name, self.place, self.key = module, name, place, key
        self.value = self.now()

    def now(self):
        return vars(self.place).get(self.key)

    def is_replaced(self):
        return self.now() is not self.value


def offered_by(module):
    is_own = lambda value: getattr(value, "__module__", None) == module.__name__
    named = [(key, value) for key, value in vars(module).items() if callable(value) and is_own(value)]
    yield from (Offered(module.__name__, module.__name__ + "." + key, module, key) for key, _ in named)
    for name, kind in named:
        members = vars(kind).items() if inspect.isclass(kind) else ()
        for key, value in list(members):
            if callable(value) or isinstance(value, (staticmethod, classmethod, property)):
                yield Offered(module.__name__, "%s.%s.%s" % (module.__name__, name, key), kind, key)


@contextlib.contextmanager
def watching(notes, module):
    """Notes what is replaced meanwhile; a module may replace its own functions."""
    before, others = functions_of_library(), {id(one) for one in notes.offered if one.is_replaced()}
    try:
        yield
    finally:
        newly = [one for one in notes.offered if one.is_replaced() and id(one) not in others]
        for one in newly:
            if one.module == module:
                one.value = one.now()
        for name in [*replaced_since(before), *(one.name for one in newly if one.is_replaced())]:
            notes.append(notes.to_text({"replaced": name}) + "\\n")
`;
