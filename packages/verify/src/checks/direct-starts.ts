import { writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { RUST } from "./direct-rust.ts";
import type { DirectRoom, DirectStart } from "./direct-start.ts";
import { javascriptReplay } from "./replay/javascript/javascript.ts";
import type { ReplayLanguage } from "./replay/language.ts";
import { pythonReplay } from "./replay/python/python.ts";

/** A start that needs nothing but a few files, and prints the names of tests that failed. */
function byFiles({
  language,
  files,
  command,
  failed,
}: {
  language: ReplayLanguage | RegExp;
  /** By their names in `folder`. */
  files: (about: DirectRoom) => Readonly<Record<string, string>>;
  command: (folder: string) => string;
  failed: RegExp;
}): DirectStart {
  const own: Pick<DirectStart, "handles" | "replay"> =
    language instanceof RegExp
      ? { handles: (path) => language.test(path) }
      : { handles: language.handles, replay: language };
  return {
    ...own,
    async prepare(about) {
      for (const [name, text] of Object.entries(files(about))) {
        await writeFile(join(about.folder, name), about.shown(text));
      }
      return {
        command: command(about.folder),
        read: (output) => ({
          failed: [...output.matchAll(failed)].map(([, name = ""]) => name.trim()),
        }),
      };
    },
  };
}

/** The test files as parts of a program, with no argument that names them; the library prints what failed. */
const NODE = byFiles({
  language: javascriptReplay,
  files: ({ root, tests }) => ({
    "main.mjs": `import { pathToFileURL } from "node:url";\n${tests
      .map((path) => `await import(pathToFileURL(${JSON.stringify(join(root, path))}));\n`)
      .join("")}`,
  }),
  command: (folder) => `node '${folder}/main.mjs'`,
  failed: /^\s*(?:✖ |not ok \d+ - )(.*?)(?: \(\d[\d.]*ms\)| #.*)?$/gm,
});

/** Calls test functions and methods by itself. What fails otherwise than by an assertion may need its runner. */
const PYTHON = byFiles({
  language: pythonReplay,
  files: ({ root, tests }) => ({
    "main.py": `import importlib.util, inspect, json, os, sys, unittest

root = ${JSON.stringify(root)}
sys.path[:1] = [root, os.path.join(root, "src")]


def call(title, run):
    try:
        run()
    except AssertionError:
        print("FAILED", title)
    except BaseException:
        pass


for number, path in enumerate(json.loads(${JSON.stringify(JSON.stringify(tests))})):
    spec = importlib.util.spec_from_file_location("part%d" % number, os.path.join(root, path))
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        continue
    for name, thing in list(vars(module).items()):
        if name.startswith("test") and inspect.isfunction(thing) and not inspect.signature(thing).parameters:
            call(name, thing)
        elif inspect.isclass(thing) and issubclass(thing, unittest.TestCase):
            for method in unittest.defaultTestLoader.getTestCaseNames(thing):
                call(method, thing(method).debug)
`,
  }),
  command: (folder) => `python3 -B '${folder}/main.py'`,
  failed: /^FAILED (.*)$/gm,
});

/**
 * Go's tests in two ways: the program that holds a package's tests, under another name and without the arguments that
 * `go test` gives it; and, for what asks whether such a program runs, their functions in an ordinary program.
 */
const GO = byFiles({
  language: /\.go$/,
  files: ({ root, tests, textOf }) => {
    const folders = Map.groupBy(
      tests.filter(
        (path) => path.endsWith("_test.go") && /^package (?!main\b|\w+_test\b)/m.test(textOf(path)),
      ),
      (path) => dirname(join(root, path)),
    );
    const parts = [...folders].map(([folder, paths], n) => {
      const texts = paths.map(textOf);
      const name = /^package (\w+)/m.exec(texts[0] ?? "")?.[1] ?? "";
      const titles = texts.flatMap((text) =>
        [...text.matchAll(/^func (Test\w*)\(/gm)].map(([, one]) => one ?? ""),
      );
      const moves = paths.map(
        (path) => `mv '${basename(path)}' 'ccwloop_${basename(path).replace(/_test\.go$/, ".go")}'`,
      );
      const script = [
        `cd '${folder}' && mkdir ccwloop`,
        `printf 'package main\\nimport tests "%s"\\nfunc main() { tests.CcwLoopDirect() }\\n' "$(go list .)" > ccwloop/main.go`,
        ...moves,
        `cp "$here/part-${n}.go" ccwloop_direct.go && go run ./ccwloop`,
      ];
      return { script: `(${script.join("\n")}\n)`, text: goProgram(name, titles) };
    });
    return {
      ...Object.fromEntries(parts.map(({ text }, n) => [`part-${n}.go`, text])),
      "functions.sh": `here=$1\n${parts.map(({ script }) => script).join("\n")}\n`,
    };
  },
  command: (folder) =>
    `go list -f '{{.Dir}}' ./... | while read -r dir; do cd "$dir" && rm -f '${folder}/program' && go test -c -o '${folder}/program' . && if [ -x '${folder}/program' ]; then '${folder}/program'; fi; done; sh '${folder}/functions.sh' '${folder}'`,
  failed: /^\s*--- FAIL: (\S+)/gm,
});

/** What fails otherwise than by an assertion may need the runner, which this program is without. */
function goProgram(name: string, titles: readonly string[]): string {
  return `package ${name}

import (
	"fmt"
	"testing"
)

func CcwLoopDirect() {
	tests := map[string]func(*testing.T){
${titles.map((title) => `		"${title}": ${title},`).join("\n")}
	}
	for name, run := range tests {
		t := &testing.T{}
		done := make(chan bool)
		panicked := false
		go func() {
			defer close(done)
			defer func() { panicked = recover() != nil }()
			run(t)
		}()
		<-done
		if t.Failed() && !panicked {
			fmt.Println("--- FAIL: " + name)
		}
	}
}
`;
}

/** By the report that a command is read by; other runners have nothing of the kind. */
export const DIRECT_STARTS: Readonly<Record<string, DirectStart>> = {
  "node-test": NODE,
  pytest: PYTHON,
  unittest: PYTHON,
  go: GO,
  cargo: RUST,
  nextest: RUST,
};
