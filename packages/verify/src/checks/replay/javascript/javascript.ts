import { randomBytes } from "node:crypto";
import { basename, dirname, extname, relative } from "node:path";
import { JAVASCRIPT_CLOCK } from "../clock.ts";
import { REPEATING, type RecordOptions, type ReplayLanguage, word } from "../language.ts";
import { JAVASCRIPT_RECORDER } from "./recorder.ts";

/**
 * Calls of changed modules in JavaScript and TypeScript. A module is moved aside and a file of ours takes its name, which
 * hands on what it exports and notes each call: so it works whatever loads the module (Node, vitest, jest, a compiler).
 */
export const javascriptReplay: ReplayLanguage = {
  handles: (path) => /\.([cm]?js|[cm]?ts|jsx|tsx)$/.test(path) && !/\.d\.[cm]?ts$/.test(path),

  recorder: { name: "recorder.cjs", text: JAVASCRIPT_RECORDER },
  clock: { name: "clock.cjs", text: JAVASCRIPT_CLOCK },

  record(options) {
    const [moved, written] = [new Map<string, string>(), new Map<string, string>()];
    for (const [path, text] of options.sources) {
      const exported = options.exported.get(path) ?? [];
      const names = exported.filter((name) => /^[A-Za-z_$][\w$]*$/.test(name));
      if (names.length === 0) continue;
      const aside = path.replace(/(\.[^./]+)$/, `.k${randomBytes(5).toString("hex")}$1`);
      moved.set(path, aside);
      written.set(path, wrapperOf({ ...options, path, text, aside, names }));
    }
    return { moved, written, env: {} };
  },

  exportsCommand: (recorder, root, paths) =>
    `node -e ${word(`require(${JSON.stringify(recorder)}).names(${JSON.stringify(root)}, ${JSON.stringify(paths)}).then(() => process.exit(0))`)}`,

  program: (calls, output) => ({
    extension: ".cjs",
    text: [
      ...(calls.clock ? [`require(${JSON.stringify(calls.clock)});`] : []),
      "const recorder = { exports: {} };",
      `((module) => {\n${JAVASCRIPT_RECORDER}\n})(recorder);`,
      `recorder.exports.replay(${JSON.stringify(calls)}, ${JSON.stringify(output)}).then(() => process.exit(0));\n`,
    ].join("\n"),
  }),

  command: (file) => `node ${word(file)}`,

  test(report, { path, text }, { calls, output, users }) {
    const start = STARTS[report];
    if (start === undefined) return null;
    const old = !/^\s*import\b/m.test(text);
    const load = (name: string, what: string) =>
      old ? `const ${what} = require("${name}");` : `import ${what} from "${name}";`;
    const word = start.isDefault ? start.word : `{ ${start.word} }`;
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
      `${start.word}(${JSON.stringify(REPEATING)}, async () => {`,
      `  await ${old ? "require" : 'createRequire("/")'}(${JSON.stringify(calls.recorder)}).replay(${JSON.stringify(calls)}, ${JSON.stringify(output)}, { ${modules.join(", ")} });`,
      "});",
      "",
    ].join("\n");
  },
};

/** The word that begins a test, and the module that has it where it is no global. */
const STARTS: Readonly<Record<string, { word: string; from: string | null; isDefault?: true }>> = {
  "node-test": { word: "test", from: "node:test" },
  vitest: { word: "test", from: "vitest" },
  jest: { word: "test", from: null },
  mocha: { word: "it", from: null },
  ava: { word: "test", from: "ava", isDefault: true },
};

function wrapperOf({
  path,
  text,
  aside,
  names,
  recorder,
  log,
  users,
}: RecordOptions & {
  path: string;
  text: string;
  aside: string;
  names: readonly string[];
}): string {
  const typed = /tsx?$/.test(path);
  const load = `./${basename(aside, extname(aside))}${endingUsed(path, users)}`;
  const note = `${JSON.stringify(path)}, ${JSON.stringify(log)}`;
  if (isCommonJs(path, text)) {
    return [
      `const real = require(${JSON.stringify(load)});`,
      `const { noted } = require(${JSON.stringify(recorder)});`,
      `module.exports = noted.module(real, ${note});\n`,
    ].join("\n");
  }
  // Types keep their names where a compiler looks at the tests.
  const as = (name: string) => (typed ? ` as typeof real.${name}` : "");
  const lines = names.flatMap((name) =>
    name === "default"
      ? [`export default noted(real.default, "default", ${note})${as("default")};`]
      : [
          `export const ${name} = noted(real.${name}, "${name}", ${note})${as(name)};`,
          ...(typed ? [`export type ${name} = real.${name};`] : []),
        ],
  );
  return [
    ...(typed ? ["// @ts-nocheck", `export type * from ${JSON.stringify(load)};`] : []),
    `import * as real from ${JSON.stringify(load)};`,
    'import { createRequire } from "node:module";',
    `const { noted } = createRequire("/")(${JSON.stringify(recorder)});`,
    ...lines,
    "",
  ].join("\n");
}

function isCommonJs(path: string, text: string): boolean {
  if (/\.c[jt]s$/.test(path)) return true;
  return (
    /\bmodule\.exports\b|\bexports\.\w+\s*=/.test(text) && !/^\s*(import|export)\b/m.test(text)
  );
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
