import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { javascriptReplay } from "../replay/javascript/javascript.ts";
import type { ReplayLanguage } from "../replay/language.ts";
import { pythonReplay } from "../replay/python/python.ts";
import { type DirectRoom, type DirectStart, delayOf, marked, outcomeOf } from "./direct-start.ts";
import { GO } from "./go.ts";
import { NODE_LIBRARY } from "./node-library.ts";
import { RUST } from "./rust.ts";

/** A program for each test file: one that ends its program ends no other. */
function byFiles({
  language,
  program,
  extension,
  interpreter,
  library,
}: {
  language: ReplayLanguage;
  /** Its text; prints `end` behind the last test, and `unbuilt` where the file cannot be loaded. */
  program: (about: DirectRoom & { delay: number }, path: string) => string;
  extension: string;
  interpreter: string;
  /** A module of the same language that lies beside the programs, as `library`. */
  library?: string;
}): DirectStart {
  return {
    ...{ handles: language.handles, replay: language },
    async prepare(given) {
      const { folder, token, tests } = given;
      const about = { ...given, delay: delayOf(tests.length, given.isRepeated ? 1 : undefined) };
      const commands: string[] = [];
      if (library !== undefined) await writeFile(join(folder, `library.${extension}`), library);
      for (const [n, path] of tests.entries()) {
        const place = join(folder, `main${n}.${extension}`);
        await writeFile(place, about.shown(program(about, path)));
        commands.push(marked(token, n, `${interpreter} '${place}'`));
      }
      return {
        command: commands.length > 0 ? commands.join("\n") : null,
        read: (output) => outcomeOf(output, token, tests),
      };
    },
  };
}

/** The test files as parts of a program, with no argument that names them, and with a library that leaves nothing in the process. */
const NODE = byFiles({
  language: javascriptReplay,
  extension: "mjs",
  interpreter: "node",
  library: NODE_LIBRARY,
  program: ({ root, token, delay }, path) => `import { writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { finish, start } from "./library.mjs";
start(${JSON.stringify(token)});
await setTimeout(${delay});
let word = "";
process.once("beforeExit", async () => {
  await finish();
  if (word) writeSync(1, \`\\n${token} \${word}\\n\`);
});
try {
  await import(pathToFileURL(${JSON.stringify(join(root, path))}));
  word = "end";
} catch (error) {
  word = "unbuilt";
  console.error(error);
}
`,
});

/** Calls test functions and methods by itself. What fails otherwise than by an assertion may need its runner. */
const PYTHON = byFiles({
  language: pythonReplay,
  extension: "py",
  interpreter: "python3",
  program: ({ root, token, delay }, path) => `import importlib.util, inspect, os, sys, time

root = ${JSON.stringify(root)}
path = os.path.join(root, ${JSON.stringify(path)})
base = os.path.dirname(path)
while os.path.exists(os.path.join(base, "__init__.py")):
    base = os.path.dirname(base)
sys.path[:1] = [root, os.path.join(root, "src"), base]
out = os.dup(1)


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


spec = importlib.util.spec_from_file_location("part", path)
module = importlib.util.module_from_spec(spec)
try:
    spec.loader.exec_module(module)
except SystemExit:
    raise
except BaseException as error:
    say("end" if type(error).__name__ in ("Skipped", "SkipTest") else "unbuilt")
else:
    time.sleep(${delay / 1000})
    call_all(module)
    say("end")
`,
});

/** By the report that a command is read by; other runners have nothing of the kind. */
export const DIRECT_STARTS: Readonly<Record<string, DirectStart>> = {
  "node-test": NODE,
  pytest: PYTHON,
  unittest: PYTHON,
  go: GO,
  cargo: RUST,
  nextest: RUST,
};
