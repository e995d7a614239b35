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
      const values = options.values.get(path) ?? [];
      const aside = beside("k");
      const module = { ...options, path, text, names, values, aside, first: beside("r") };
      const own = withOwnName(text, path, aside);
      if (isCommonJs(path, text)) {
        written.set(path, commonJsInPlace(module));
      } else if (isModule(path, text)) {
        written.set(module.first, firstOf(module));
        if (names.length > 0) moved.set(path, aside);
        if (names.length > 0 && own !== text) written.set(aside, own);
        written.set(path, names.length > 0 ? wrapperOf(module) : withMark(module));
      }
    }
    return { moved, written, env: {} };
  },

  exportsCommand: (recorder, root, paths) =>
    `node -e ${shellWord(`require(${JSON.stringify(recorder)}).names(${JSON.stringify(root)}, ${JSON.stringify(paths)}).then(() => process.exit(0))`)}`,

  waits: true,
  program: (beginning, { told, output, justStarted }) => ({
    extension: justStarted ? ".mjs" : ".cjs",
    text: [
      ...(justStarted
        ? [
            'import { createRequire } from "node:module";',
            "const require = createRequire(import.meta.url);",
          ]
        : []),
      ...(beginning.clock ? [`require(${JSON.stringify(beginning.clock.file)});`] : []),
      "const recorder = { exports: {} };",
      `((module, require) => {\n${JAVASCRIPT_RECORDER}\n})(recorder, require);`,
      `recorder.exports.replay(${[beginning, told, output].map((one) => JSON.stringify(one)).join(", ")}).then(() => process.exit(0));\n`,
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

interface Module extends Omit<RecordOptions, "values"> {
  path: string;
  text: string;
  names: readonly string[];
  values: readonly string[];
  /** Where it is moved, and a file that loads the recorder before it. */
  aside: string;
  first: string;
}

/**
 * Where it is, for what needs it may have it before it is evaluated to its end; the wrapper is told behind it, whatever it does.
 * Its own path is given, for a test may copy the module to another place.
 */
function commonJsInPlace({ path, text, recorder, log }: Module): string {
  const [shebang = ""] = /^#!.*\n/.exec(text) ?? [];
  const name = `k${randomBytes(5).toString("hex")}`;
  const own = "exports, require, module, __filename, __dirname";
  const about = `${JSON.stringify(path)}, ${JSON.stringify(log)}`;
  return [
    `${shebang}const ${name} = require(${JSON.stringify(recorder)}), ${name}e = ${name}.beginWatching(${JSON.stringify(path)}); (function (${own}) {${text.slice(shebang.length)}`,
    `}).call(this, ${own});`,
    `${name}e(${JSON.stringify(log)});`,
    // Who looks for names of exports in the text is not to see this.
    `module["exports"] = ${name}.wrapExport.module(module["exports"], ${about});\n`,
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
    `export const ended = recorder.beginWatching(${JSON.stringify(path)});\n`,
  ].join("\n");
}

function wrapperOf({ path, aside, first, names, values, log, users, handed }: Module): string {
  const typed = isTyped(path);
  const load = JSON.stringify(beside(path, aside, users));
  const about = `${JSON.stringify(path)}, ${JSON.stringify(log)}`;
  const note = (name: string, wrap = "wrapExport") => `${wrap}(real.${name}, "${name}", ${about})`;
  const lines = names.flatMap((name, n) => {
    // What has no calls stays what it is, also where it changes later.
    const isHanded = handed.some((one) => one.module === path && one.name === name);
    if (values.includes(name) && isHanded)
      return [`const h${n} = ${note(name, "wrapExport.value")};`, `export { h${n} as ${name} };`];
    if (values.includes(name))
      return [`${note(name, "wrapExport.value")};`, `export { ${name} } from ${load};`];
    // Types keep their names where a compiler looks at the tests.
    if (typed) {
      const all = `const f${n} = ${note(name)} as typeof real.${name};`;
      const type = name === "default" ? [] : [`export type ${name} = real.${name};`];
      return [all, `export { f${n} as ${name} };`, ...type];
    }
    // As a declaration it is there before this module is evaluated, for modules that need each other.
    const target = `real.${name}`;
    return [
      `function f${n}() { return new.target ? Reflect.construct(${target}, arguments) : Reflect.apply(${target}, this, arguments); }`,
      `f${n} = ${note(name)};`,
      `export { f${n} as ${name} };`,
    ];
  });
  return [
    ...(typed ? ["// @ts-nocheck", `export type * from ${load};`] : []),
    `import { ended, wrapExport } from ${JSON.stringify(beside(path, first, users))};`,
    `import * as real from ${load};`,
    `ended(${JSON.stringify(log)});`,
    ...lines,
    "",
  ].join("\n");
}

/** The text of a module that lies aside, in which it has the name that it had. */
function withOwnName(text: string, path: string, aside: string): string {
  const word = JSON.stringify(basename(aside).slice(stemOf(path).length, -extname(path).length));
  const [url, filename] = ["url", "filename"].map(
    (key) => `import.meta.${key}?.replace(${word}, "")`,
  );
  return text
    .replaceAll(
      /\bimport\.meta\b(?!\s*\.)/g,
      () => `({ ...import.meta, url: ${url}, filename: ${filename} })`,
    )
    .replaceAll(
      /\bimport\.meta\.main\b/g,
      () => `(import.meta.main === undefined ? undefined : process.argv[1] === ${filename})`,
    )
    .replaceAll(/\bimport\.meta\.(url|filename)\b(?!\?)/g, (one) => `${one}.replace(${word}, "")`);
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

const stemOf = (path: string): string => basename(path, extname(path));
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

/**
 * How the project's own files name this module's ending: `./cart.js`, `./cart.ts` or `./cart`; in JavaScript only by a relative path, for other
 * names need not end as files do.
 */
function endingUsed(path: string, users: readonly string[]): string {
  const stem = stemOf(path).replace(/[^\w-]/g, "\\$&");
  const start = isTyped(path) ? "" : String.raw`\.{1,2}\/`;
  const pattern = new RegExp(`["']${start}(?:[^"'\\n]*\\/)?${stem}(\\.[cm]?[jt]sx?)?["']`);
  for (const text of users) {
    const found = pattern.exec(text);
    if (found) return found[1] ?? "";
  }
  return extname(path);
}
