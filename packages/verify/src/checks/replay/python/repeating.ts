import { AHEAD_MS } from "../clock.ts";

/** Repeats what was noted, and writes what came of it. */
export const REPEATING = `def evaluated(args, made):
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

    def call(one, f, given, named):
        before = state(one, given, named)
        try:
            out = f(*given, **named)
            import asyncio
            out = asyncio.run(out) if inspect.iscoroutine(out) else out
        except Exception as error:
            return thrown(error) + changed(before, one, given, named)
        return outcome(out, changed(before, one, given, named))

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
        if one["kind"] == "value":
            result = told(top)
        elif one["kind"] == "new":
            try:
                made[one["object"]] = top(*given, **named)
                result = told(made[one["object"]])
            except Exception as error:
                result = thrown(error)
        elif one["kind"] == "method":
            known = made.get(one["object"])
            result = None if known is None else call(known, getattr(known, second), given, named)
        else:
            result = call(None, getattr(top, second) if second else top, given, named)
        results.append(result)
    with open(output, "w") as file:
        json.dump(results, file)
`;
