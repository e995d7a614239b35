import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scriptCalledBy } from "@ccw-loop/test-runner/commands";
import { javascriptReplay } from "../replay/javascript/javascript.ts";
import type { ReplayLanguage } from "../replay/language.ts";
import { pythonReplay } from "../replay/python/python.ts";
import { IN_ZONE } from "../time-zone.ts";
import { type DirectRoom, type DirectStart, outcomeOf } from "./direct-start.ts";
import { GO } from "./go.ts";
import { JEST_LIBRARY, JEST_SETTINGS } from "./jest-library.ts";
import { MOCHA_LIBRARY, MOCHA_SETTINGS } from "./mocha-library.ts";
import { NODE_LIBRARY } from "./node-library.ts";
import { inTurns, type Turn, turnOf, waitOf } from "./one-by-one.ts";
import { RUST } from "./rust.ts";
import { takeTests } from "./taken-tests.ts";
import { judgesOf } from "./test-only-packages.ts";
import { VITEST_LIBRARY, VITEST_SETTINGS } from "./vitest-library.ts";

/** A program for each test file: one that ends its program ends no other. They wait beside each other, and run one by one. */
function byFiles({
  language,
  program,
  extension,
  interpreter,
  library,
  settings,
}: {
  language: ReplayLanguage;
  /**
   * Its text; waits for some time, and then for its turn. Prints `end` behind the last test, and `unbuilt` where the file
   * cannot be loaded.
   */
  program: (about: DirectRoom & Turn & { delay: number }, path: string) => string;
  extension: keyof typeof IN_ZONE;
  interpreter: string;
  /** A module of the same language that lies beside the programs, as `library`. */
  library?: string;
  /** A program that is run before them, and what it prints lies beside them, as `settings.json`. */
  settings?: (about: DirectRoom) => Promise<string>;
}): DirectStart {
  return {
    ...{ handles: language.handles, takesTests: true },
    async prepare(given) {
      const { folder, token, tests } = given;
      const about = { ...given, delay: waitOf(tests.length) };
      const commands: string[] = [];
      if (library !== undefined) await writeFile(join(folder, `library.${extension}`), library);
      if (settings !== undefined && tests.length > 0) {
        const place = join(folder, `settings.${extension}`);
        await writeFile(place, about.shown(await settings(about)));
        commands.push(`${interpreter} '${place}' > '${folder}/settings.json'`);
      }
      const programs: string[] = [];
      for (const [n, path] of tests.entries()) {
        const place = join(folder, `main${n}.${extension}`);
        const text = program({ ...about, ...turnOf(folder, n) }, path);
        const begin = about.zone === null ? "" : IN_ZONE[extension](about.zone);
        await writeFile(place, about.shown(begin + text));
        programs.push(`${interpreter} '${place}'`);
      }
      await takeTests(about);
      commands.push(inTurns(programs, folder, token));
      return {
        command: tests.length > 0 ? commands.join("\n") : null,
        read: (output) => outcomeOf(output, token, tests),
      };
    },
  };
}

const javascriptWait = (delay: number, turn: string): string => `await setTimeout(${delay});
while (!existsSync(${JSON.stringify(turn)})) await setTimeout(10);`;

/** The test files as parts of a program, with no argument that names them, and with a library that leaves nothing in the process. */
const NODE = byFiles({
  language: javascriptReplay,
  extension: "mjs",
  interpreter: "node",
  library: NODE_LIBRARY,
  program: (
    { root, token, delay, turn, sources },
    path,
  ) => `import { existsSync, writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { finish, start, tested } from "./library.mjs";
start(${JSON.stringify(token)}, ${JSON.stringify(root)}, ${JSON.stringify(sources)});
${javascriptWait(delay, turn)}
let word = "";
let ended;
const end = () => (ended ??= finish().then(() => word && writeSync(1, \`\\n${token} \${word}\\n\`)));
process.once("beforeExit", end);
try {
  await import(pathToFileURL(${JSON.stringify(join(root, path))}));
  word = "end";
} catch (error) {
  word = "unbuilt";
  console.error(error);
}
await tested();
await end();
`,
});

/**
 * Test files of a runner that has words of its own, with no module and no name of it that sources could find. What `settings` says
 * is the project's configuration, `without` what of it is not offered here.
 */
const byRunner = (runner: { library: string; settings: string }) =>
  byFiles({
    language: javascriptReplay,
    extension: "mjs",
    interpreter: "node",
    library: runner.library,
    settings: async (about) => `import { existsSync } from "node:fs";
import nodeModule from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
const root = ${JSON.stringify(about.root)};
const require = nodeModule.createRequire(join(root, "package.json"));
const found = (name) => { try { return require(name); } catch { return null; } };
const words = ${JSON.stringify(wordsBehindRunner(about))};
let settings = {};
try {${runner.settings}} catch (error) { settings = { without: String(error) }; }
if (!nodeModule.registerHooks) settings.without = "a Node that can hook modules in one thread";
console.log(JSON.stringify({ ...settings, judges: ${JSON.stringify(await judgesOf(about))} }));
process.exit();
`,
    program: (
      { root, token, delay, turn, sources, folder },
      path,
    ) => `import { existsSync, readFileSync, writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
${javascriptWait(delay, turn)}
try {
  const { tests } = await import("./library.mjs");
  const settings = JSON.parse(readFileSync(${JSON.stringify(join(folder, "settings.json"))}, "utf8"));
  await tests({ ...settings, token: ${JSON.stringify(token)}, root: ${JSON.stringify(root)}, path: ${JSON.stringify(path)}, sources: ${JSON.stringify(sources)} });
} catch (error) {
  console.error(error);
  writeSync(1, "\\n${token} end\\n");
}
`,
  });

/** The arguments of the runner, from a command or the script that it calls. */
function wordsBehindRunner({ root, command }: DirectRoom): string[] {
  const script = scriptCalledBy(root, command) ?? command;
  const behind =
    /\b(?:_?mocha|vitest|jest)(?:\.[cm]?js)?(?=\s|$)([^&|;<>]*)/.exec(script)?.[1] ?? "";
  return (
    behind.match(/"[^"]*"|'[^']*'|\S+/g)?.map((word) => word.replaceAll(/^["']|["']$/g, "")) ?? []
  );
}

/** Calls test functions and methods by itself. What fails otherwise than by an assertion may need its runner. */
const PYTHON = byFiles({
  language: pythonReplay,
  extension: "py",
  interpreter: "python3",
  program: (
    { root, token, delay, load, loaded, turn },
    path,
  ) => `import importlib.machinery, importlib.util, inspect, json, os, sys, time

exists, sleep, make = os.path.exists, time.sleep, os.open
root = ${JSON.stringify(root)}
path = os.path.join(root, ${JSON.stringify(path)})
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "tests.json")) as file:
    taken = {os.path.join(root, one): text for one, text in json.load(file).items()}
base = os.path.dirname(path)
while os.path.exists(os.path.join(base, "__init__.py")):
    base = os.path.dirname(base)
sys.path[:1] = [root, os.path.join(root, "src"), base]
out = os.dup(1)


def wait(place, seconds=0):
    sleep(seconds)
    while not exists(place):
        sleep(0.01)


def say(*words):
    os.write(out, ("\\n${token} %s\\n" % " ".join(words)).encode())


def call(title, run):
    try:
        run()
        say("passed", title)
    except (AssertionError, SystemExit):
        say("failed", title)
    except BaseException as error:
        kinds = {"Failed": "failed", "Skipped": "skipped", "SkipTest": "skipped"}
        say(kinds.get(type(error).__name__, "unclear"), title)


def is_automatic(thing):
    marks = (getattr(thing, name, None) for name in ("_fixture_function_marker", "_pytestfixturefunction"))
    return any(getattr(mark, "autouse", False) for mark in marks)


def is_prepared(module):
    """Whether pytest does something before every function, which nobody does here."""
    folder, texts = os.path.dirname(path), []
    while folder.startswith(root):
        if os.path.exists(os.path.join(folder, "conftest.py")):
            texts.append(open(os.path.join(folder, "conftest.py")).read())
        folder = os.path.dirname(folder)
    hooks = ("setup_module", "setup_function", "setUpModule")
    return any("autouse" in text for text in texts) or any(hasattr(module, name) for name in hooks) or any(map(is_automatic, vars(module).values()))


def call_class(cls):
    try:
        cls.setUpClass()
    except BaseException:
        return
    for method in sys.modules["unittest"].defaultTestLoader.getTestCaseNames(cls):
        call(method, cls(method).debug)
    cls.tearDownClass()


def is_case(thing):
    """Who has no class of unittest has not loaded it, and sources are not to find it here."""
    return inspect.isclass(thing) and "unittest" in sys.modules and issubclass(thing, sys.modules["unittest"].TestCase)


def call_all(module):
    if is_prepared(module):
        return
    for name, thing in list(vars(module).items()):
        if name.startswith("test") and inspect.isfunction(thing):
            if not inspect.signature(thing).parameters and not inspect.iscoroutinefunction(thing):
                call(name, thing)
        elif is_case(thing):
            call_class(thing)


class Taken(importlib.machinery.SourceFileLoader):
    """Loads test files that are not there while they run."""

    def path_stats(self, path):
        raise OSError

    def get_data(self, path):
        return taken[path].encode()

    def get_source(self, name):
        raise ImportError("nobody reads it", name=name)


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        for folder in path or sys.path:
            place = os.path.join(folder, name.rpartition(".")[2] + ".py")
            if place in taken:
                return spec_of(name, place)


def spec_of(name, place):
    return importlib.util.spec_from_file_location(name, place, loader=Taken(name, place) if place in taken else None)


if taken:
    sys.meta_path.append(Finder)
spec = spec_of("part", path)
module = importlib.util.module_from_spec(spec)
wait(${JSON.stringify(load)})
try:
    spec.loader.exec_module(module)
except SystemExit:
    raise
except BaseException as error:
    wait(${JSON.stringify(turn)})
    say("end" if type(error).__name__ in ("Skipped", "SkipTest") else "unbuilt")
else:
    make(${JSON.stringify(loaded)}, os.O_CREAT)
    wait(${JSON.stringify(turn)}, ${delay / 1000})
    call_all(module)
    say("end")
`,
});

/** By the report that a command is read by; other runners have nothing of the kind. */
export const DIRECT_STARTS: Readonly<Record<string, DirectStart>> = {
  "node-test": NODE,
  mocha: byRunner({ library: MOCHA_LIBRARY, settings: MOCHA_SETTINGS }),
  jest: byRunner({ library: JEST_LIBRARY, settings: JEST_SETTINGS }),
  vitest: byRunner({ library: VITEST_LIBRARY, settings: VITEST_SETTINGS }),
  pytest: PYTHON,
  unittest: PYTHON,
  go: GO,
  cargo: RUST,
  nextest: RUST,
};
