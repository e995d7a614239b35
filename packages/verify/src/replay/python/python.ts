import { delimiter, join, posix } from "node:path";
import { shellWord } from "@ccw-loop/core";
import { PYTHON_CLOCK } from "../clock.ts";
import { REPLAY_TEST_TITLE, type ReplayLanguage } from "../language.ts";
import { PYTHON_RECORDER } from "./recorder.ts";

const RECORDER = "ccw_loop_recorder";
const CLOCK = "ccw_loop_clock";

/** Calls of changed modules in Python, under pytest, unittest and whatever else the interpreter of the tests runs. */
export const pythonReplay: ReplayLanguage = {
  handles: (path) => path.endsWith(".py"),

  loadedBy: (path, text) =>
    [...text.matchAll(/^\s*(?:from ([\w.]+) import (.*)|import ([\w.]+))/gm)].flatMap(
      ([, from, names = "", module]) => {
        const within = from
          ? names.split(",").map((name) => `${from}.${name.trim().split(" ")[0]}`)
          : [];
        return [from ?? module ?? "", ...within].map((name) => {
          const file = name.replace(/^\.+/, "").replaceAll(".", "/");
          return importRoots(path).flatMap((top) => [
            posix.join(top, `${file}.py`),
            posix.join(top, file, "__init__.py"),
          ]);
        });
      },
    ),

  recorder: { name: `${RECORDER}.py`, text: PYTHON_RECORDER },
  clock: { name: `${CLOCK}.py`, text: PYTHON_CLOCK },

  record({ root, sources, folder, log, env }) {
    const files = JSON.stringify([...sources.keys()]);
    return {
      moved: new Map(),
      written: new Map([
        [join(folder, "sitecustomize.py"), siteText({ root, folder, files, log })],
      ]),
      env: { PYTHONPATH: [folder, env.PYTHONPATH].filter(Boolean).join(delimiter) },
    };
  },

  exportsCommand: () => null,

  // Its interpreter is the one of the tests.
  waits: false,
  program: ({ root, paths, delay, clock }, { told, output }) => ({
    extension: ".py",
    text: [
      "import sys",
      // Where the tests found modules, in the place of this program's own folder.
      `sys.path[:1] = ${JSON.stringify(paths.length > 0 ? paths : [root])}`,
      "import types",
      'recorder = types.ModuleType("recorder")',
      `exec(compile(${JSON.stringify(PYTHON_RECORDER)}, __file__, "exec"), recorder.__dict__)`,
      ...(clock ? [...loading(clock.file, "clock"), `sys.modules["${CLOCK}"] = clock`] : []),
      `recorder.replay(recorder.read(${JSON.stringify(told)}), ${JSON.stringify(output)}, ${delay}, ${clock?.ahead ?? 0})`,
      "",
    ].join("\n"),
  }),

  command: (file, interpreter = "python3") => `${shellWord(interpreter)} ${shellWord(file)}`,

  test(report, _, { calls, output }) {
    const repeat = `recorder.replay(${literal(calls)}, ${JSON.stringify(output)})`;
    const name = `test_${REPLAY_TEST_TITLE.replaceAll(" ", "_")}`;
    if (report === "pytest")
      return [...loading(calls.recorder), `def ${name}():`, `    ${repeat}`, ""].join("\n");
    if (report !== "unittest") return null;
    return [
      "import unittest",
      ...loading(calls.recorder),
      "class Repeating(unittest.TestCase):",
      `    def ${name}(self):`,
      `        ${repeat}`,
      "",
    ].join("\n");
  },
};

/** Folders that modules may be imported from, for a test file: those around it, and their `src`. */
function importRoots(path: string): string[] {
  const folders = [posix.dirname(path)];
  while (folders.at(-1) !== ".") folders.push(posix.dirname(folders.at(-1) as string));
  return folders.flatMap((folder) => [folder, posix.join(folder, "src")]);
}

/** Statements that load a file of ours, whatever the program finds elsewhere. */
function loading(file: string, name: "recorder" | "clock" = "recorder"): string[] {
  return [
    "import importlib.util",
    `_found = importlib.util.spec_from_file_location("ccw_loop_${name}", ${JSON.stringify(file)})`,
    `${name} = importlib.util.module_from_spec(_found)`,
    `_found.loader.exec_module(${name})`,
  ];
}

/** As Python reads it: JSON in a string, for its own words are others. */
function literal(value: unknown): string {
  return `__import__("json").loads(${JSON.stringify(JSON.stringify(value))})`;
}

/** Python loads one `sitecustomize`; the one that would have been found without ours is loaded behind it. */
function siteText(about: { root: string; folder: string; files: string; log: string }): string {
  const { root, folder, files, log } = about;
  return [
    "import importlib.machinery, importlib.util, os, sys",
    ...loading(join(folder, `${RECORDER}.py`)),
    `recorder.watch(${JSON.stringify(root)}, ${files}, ${JSON.stringify(log)})`,
    `_others = [path for path in sys.path if os.path.abspath(path) != ${JSON.stringify(folder)}]`,
    `_other = importlib.machinery.PathFinder.find_spec("sitecustomize", _others)`,
    "if _other and _other.loader:",
    "    _other.loader.exec_module(importlib.util.module_from_spec(_other))",
    "",
  ].join("\n");
}
