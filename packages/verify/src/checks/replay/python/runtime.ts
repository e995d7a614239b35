/** See the JavaScript one: functions and classes of the standard library that a source replaces while it is loaded or called. */
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
`;
