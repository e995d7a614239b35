import { PYTHON_ZONE } from "../../time-zone.ts";

/** Repeats what was recorded, and writes what came of it. */
export const REPEATING = `def evaluated(args, made):
    import datetime, decimal, fractions
    names = {"datetime": datetime, "decimal": decimal, "fractions": fractions, "uuid": uuid, "_o": lambda name: made[name]}
    return eval("(lambda *given, **named: (given, named))" + args, names)


def read(file):
    with open(file) as told:
        about = json.load(told)
    os.remove(file)
    return about


${PYTHON_ZONE}

def replay(about, output, delay=0, ahead=0):
    if delay:
        time.sleep(delay / 1000)
    be_in_zone(about["zone"])
    calls, without = about["calls"], about["without"]
    append, to_text = open, json.dumps

    def tell(*line):
        with append(output, "a") as file:
            file.write(to_text(line) + "\\n")

    loaded = {}
    for module in dict.fromkeys(one["module"] for one in calls):
        if module in without["modules"]:
            continue
        tell("load", module)
        try:
            loaded[module] = importlib.import_module(module)
            tell("loaded", module)
        except BaseException as error:
            tell("failed", module, thrown(error))
    if ahead:
        sys.modules["ccw_loop_clock"].advance(ahead)
    made = {}
    for number, one in enumerate(calls):
        if one["module"] not in loaded or number in without["calls"]:
            continue
        tell("call", number)
        tell("gave", number, *repeated(one, loaded[one["module"]], made))
    tell("end")


def repeated(one, place, made):
    """What came of a call, and that as Python that makes it again, None where nothing does."""
    try:
        first, _, second = one["name"].partition(".")
        top = getattr(place, first)
        given, named = evaluated(one["args"], made)
    except Exception:
        return None, None
    if one["kind"] == "value":
        return serialize(top), arguments([top], {})
    if one["kind"] == "new":
        try:
            made[one["object"]] = top(*given, **named)
            return serialize(made[one["object"]]), arguments([vars(made[one["object"]])], {})
        except BaseException as error:
            return thrown(error), None
    if one["kind"] in ("method", "get"):
        known = made.get(one["object"])
        if known is None:
            return None, None
        return call(known, getattr(known, second) if one["kind"] == "method" else lambda: getattr(known, second), given, named)
    return call(None, getattr(top, second) if second else top, given, named)


def call(one, f, given, named):
    before = state(one, given, named)
    try:
        out = f(*given, **named)
        import asyncio
        out = asyncio.run(out) if inspect.iscoroutine(out) else out
    except BaseException as error:
        return thrown(error) + changed(before, one, given, named), None
    left = changed(before, one, given, named)
    return outcome(out, left), None if left else arguments([out], {})
`;
