import { randomBytes } from "node:crypto";
import { basename, dirname, extname, posix, relative } from "node:path";
import { shellWord } from "@ccw-loop/core";
import { JAVASCRIPT_CLOCK } from "../clock.ts";
import { REPLAY_TEST_TITLE, type RecordOptions, type ReplayLanguage } from "../language.ts";
import { JAVASCRIPT_RECORDER } from "./recorder.ts";

/**
 * Calls of changed modules in JavaScript and TypeScript. A module is moved aside and a file of ours takes its name, which
 * hands on what it exports and notes each call: so it works whatever loads the module (Node, vitest, jest, a compiler).
 */
export const javascriptReplay: ReplayLanguage = {
  handles: (path) => /\.([cm]?js|[cm]?ts|jsx|tsx)$/.test(path) && !/\.d\.[cm]?ts$/.test(path),

  loadedBy: (path, text) =>
    [...text.matchAll(/(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'](\.{1,2}\/[^"'\n]+)["']/g)].map(
      ([, name = ""]) => {
        const place = posix.join(posix.dirname(path), name);
        const bare = place.replace(/\.[cm]?jsx?$/, "");
        const endings = ["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"];
        const folders = endings.map((ending) => posix.join(place, `index.${ending}`));
        return [place, ...endings.map((ending) => `${bare}.${ending}`), ...folders];
      },
    ),

  recorder: { name: "recorder.cjs", text: JAVASCRIPT_RECORDER },
  clock: { name: "clock.cjs", text: JAVASCRIPT_CLOCK },

  record(options) {
    const [moved, written] = [new Map<string, string>(), new Map<string, string>()];
    for (const [path, text] of options.sources) {
      const exported = options.exported.get(path) ?? [];
      const names = exported.filter((name) => /^[A-Za-z_$][\w$]*$/.test(name));
      const beside = (word: string) =>
        path.replace(/(\.[^./]+)$/, `.${word}${randomBytes(5).toString("hex")}$1`);
      const module = { ...options, path, text, names, aside: beside("k"), first: beside("r") };
      if (isCommonJs(path, text)) {
        moved.set(path, module.aside);
        written.set(path, commonJsWrapper(module));
      } else if (isModule(path, text)) {
        written.set(module.first, firstOf(module));
        if (names.length > 0) moved.set(path, module.aside);
        written.set(path, names.length > 0 ? wrapperOf(module) : withMark(module));
      }
    }
    return { moved, written, env: {} };
  },

  exportsCommand: (recorder, root, paths) =>
    `node -e ${shellWord(`require(${JSON.stringify(recorder)}).names(${JSON.stringify(root)}, ${JSON.stringify(paths)}).then(() => process.exit(0))`)}`,

  program: (calls, output, { justStarted = false } = {}) => ({
    extension: justStarted ? ".mjs" : ".cjs",
    text: [
      ...(justStarted
        ? [
            'import { createRequire } from "node:module";',
            "const require = createRequire(import.meta.url);",
          ]
        : []),
      ...(calls.clock ? [`require(${JSON.stringify(calls.clock.file)});`] : []),
      "const recorder = { exports: {} };",
      `((module, require) => {\n${JAVASCRIPT_RECORDER}\n})(recorder, require);`,
      `recorder.exports.replay(${JSON.stringify(calls)}, ${JSON.stringify(output)}).then(() => process.exit(0));\n`,
    ].join("\n"),
  }),

  command: (file) => `node ${shellWord(file)}`,

  test(report, { path, text }, { calls, output, users }) {
    const start = STARTS[report];
    if (start === undefined) return null;
    const old = !/^\s*import\b/m.test(text);
    const load = (name: string, what: string) =>
      old ? `const ${what} = require("${name}");` : `import ${what} from "${name}";`;
    const word = start.isDefault ? start.word : `{ ${start.word} }`;
    const begin = start.inOrder ?? start.word;
    const modules = [...new Set(calls.calls.map(({ module }) => module))].map((module) => {
      const place = relative(dirname(path), module);
      const to = `${place.startsWith(".") ? "" : "./"}${place.slice(0, place.length - extname(place).length)}`;
      const name = JSON.stringify(to + endingUsed(module, users));
      return `${JSON.stringify(module)}: () => ${old ? `Promise.resolve().then(() => require(${name}))` : `import(${name})`}`;
    });
    return [
      ...(/tsx?$/.test(path) ? ["// @ts-nocheck"] : []),
      ...(old ? [] : [load("node:module", "{ createRequire }")]),
      ...(start.from === null ? [] : [load(start.from, word)]),
      `const recorder = ${old ? "require" : 'createRequire("/")'}(${JSON.stringify(calls.recorder)});`,
      `const [about, output] = [${JSON.stringify(calls)}, ${JSON.stringify(output)}];`,
      "let loaded;",
      `${begin}("loads what is called", async () => {`,
      `  loaded = await recorder.load(about, output, (module) => ({ ${modules.join(", ")} })[module]());`,
      "});",
      // The calls are made by the test itself, as the tests made them.
      `${begin}(${JSON.stringify(REPLAY_TEST_TITLE)}, () => recorder.repeatAll(about, output, loaded));`,
      start.run ?? "",
      "",
    ].join("\n");
  },
};

/**
 * The word that begins a test, and the module that has it where it is no global; `inOrder` where tests of a file run one
 * behind the other only if they say so, and `run` where a file has to start them.
 */
const STARTS: Readonly<
  Record<
    string,
    { word: string; from: string | null; isDefault?: true; inOrder?: string; run?: string }
  >
> = {
  "node-test": { word: "test", from: "node:test" },
  vitest: { word: "test", from: "vitest" },
  jest: { word: "test", from: null },
  mocha: { word: "it", from: null },
  ava: { word: "test", from: "ava", isDefault: true, inOrder: "test.serial" },
  tape: { word: "test", from: "tape", isDefault: true },
  uvu: { word: "test", from: "uvu", run: "test.run();" },
};

interface Module extends RecordOptions {
  path: string;
  text: string;
  names: readonly string[];
  /** Where it is moved, and a file that loads the recorder before it. */
  aside: string;
  first: string;
}

/** By its whole path, for a test may copy the module to another place. */
function commonJsWrapper({ root, path, aside, recorder, log }: Module): string {
  return [
    `const { wrapExport, beginLoading } = require(${JSON.stringify(recorder)});`,
    `const load = ${JSON.stringify(posix.join(root, aside))};`,
    "const ended = beginLoading();",
    // What is started as a program stays one.
    'const real = require.main === module ? require("node:module")._load(load, undefined, true) : require(load);',
    `ended(${JSON.stringify(log)});`,
    `module.exports = wrapExport.module(real, ${JSON.stringify(path)}, ${JSON.stringify(log)});\n`,
  ].join("\n");
}

/** Modules are evaluated in the order of their imports: what a source replaces when it is loaded, the recorder has already. */
function firstOf({ path, recorder }: Module): string {
  return [
    ...(isTyped(path) ? ["// @ts-nocheck"] : []),
    'import { createRequire } from "node:module";',
    `const recorder = createRequire("/")(${JSON.stringify(recorder)});`,
    "export const wrapExport = recorder.wrapExport;",
    "export const loaded = recorder.loaded;",
    "export const ended = recorder.beginLoading();\n",
  ].join("\n");
}

function wrapperOf({ path, aside, first, names, log, users }: Module): string {
  const typed = isTyped(path);
  const load = JSON.stringify(beside(path, aside, users));
  const note = `${JSON.stringify(path)}, ${JSON.stringify(log)}`;
  // Types keep their names where a compiler looks at the tests.
  const as = (name: string) => (typed ? ` as typeof real.${name}` : "");
  const lines = names.flatMap((name) =>
    name === "default"
      ? [`export default wrapExport(real.default, "default", ${note})${as("default")};`]
      : [
          `export const ${name} = wrapExport(real.${name}, "${name}", ${note})${as(name)};`,
          ...(typed ? [`export type ${name} = real.${name};`] : []),
        ],
  );
  return [
    ...(typed ? ["// @ts-nocheck", `export type * from ${load};`] : []),
    `import { ended, wrapExport } from ${JSON.stringify(beside(path, first, users))};`,
    `import * as real from ${load};`,
    `ended(${JSON.stringify(log)});`,
    ...lines,
    "",
  ].join("\n");
}

/** A module of which no name is known: nobody but the tests can load it, or it exports nothing. */
function withMark({ path, text, first, log, users }: Module): string {
  const [shebang = ""] = /^#!.*\n/.exec(text) ?? [];
  const load = JSON.stringify(beside(path, first, users));
  const [name, behind] = [1, 2].map(() => `k${randomBytes(5).toString("hex")}`);
  const mark = `import { loaded as ${name}, ended as ${behind} } from ${load};`;
  const note = `${name}(${JSON.stringify(path)}, ${JSON.stringify(log)});`;
  return `${shebang}${mark}${note}${text.slice(shebang.length)}\n;${behind}(${JSON.stringify(log)});\n`;
}

const isTyped = (path: string): boolean => /tsx?$/.test(path);

/** How a module names a file beside it. */
function beside(path: string, other: string, users: readonly string[]): string {
  return `./${basename(other, extname(other))}${endingUsed(path, users)}`;
}

function isModule(path: string, text: string): boolean {
  return /\.m[jt]s$/.test(path) || /^\s*(import|export)\b/m.test(text);
}

function isCommonJs(path: string, text: string): boolean {
  return !isModule(path, text) && /\bexports\b/.test(text);
}

/** How the project's own files name this module's ending: `./cart.js`, `./cart.ts` or `./cart`. */
function endingUsed(path: string, users: readonly string[]): string {
  const stem = basename(path, extname(path)).replace(/[^\w-]/g, "\\$&");
  const pattern = new RegExp(`["'][^"'\\n]*\\b${stem}(\\.[cm]?[jt]sx?)?["']`);
  for (const text of users) {
    const found = pattern.exec(text);
    if (found) return found[1] ?? "";
  }
  return extname(path);
}
