import { randomBytes } from "node:crypto";
import { basename, extname, relative } from "node:path";
import type { ReplayLanguage } from "./replay-language.ts";

/** Runs in the project's own processes, so it is plain CommonJS. */
const RECORDER = String.raw`"use strict";
const { appendFileSync, writeFileSync } = require("node:fs");
const { pathToFileURL } = require("node:url");
const { join } = require("node:path");

const MOST = 4096;
const plain = (value, depth = 0) => {
  if (value === null || value === undefined || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth > 8) return false;
  const shape = Object.getPrototypeOf(value);
  if (shape !== Object.prototype && shape !== null && !Array.isArray(value)) return false;
  return Object.values(value).every((one) => plain(one, depth + 1));
};
const told = (value) => {
  try { return plain(value) ? JSON.stringify(value) ?? "undefined" : null; } catch { return null; }
};
const isClass = (f) => /^class\b/.test(Function.prototype.toString.call(f));

function noted(f, name, module, log) {
  if (typeof f !== "function" || isClass(f)) return f;
  return new Proxy(f, {
    apply(target, self, given) {
      const args = told(given);
      if (args !== null && args.length < MOST) {
        try { appendFileSync(log, JSON.stringify({ module, name, args }) + "\n"); } catch {}
      }
      return Reflect.apply(target, self, given);
    },
  });
}
noted.module = (real, module, log) => {
  if (typeof real === "function") return noted(real, "", module, log);
  if (typeof real !== "object" || real === null) return real;
  const copy = Object.create(Object.getPrototypeOf(real), Object.getOwnPropertyDescriptors(real));
  for (const [name, value] of Object.entries(real)) {
    try { copy[name] = noted(value, name, module, log); } catch {}
  }
  return copy;
};

async function replay({ root, calls, delay, under }, output, loaders) {
  if (delay > 0 && !under) await new Promise((go) => setTimeout(go, delay));
  const results = [];
  for (const { module, name, args } of calls) {
    let result;
    try {
      const all = loaders ? await loaders[module]() : await import(pathToFileURL(join(root, module)).href);
      const own = name === "" ? all.default ?? all : all[name] ?? all.default?.[name];
      result = told(await own(...JSON.parse(args)));
    } catch (error) {
      result = "threw " + String(error?.message).slice(0, 500);
    }
    results.push(result);
  }
  writeFileSync(output, JSON.stringify(results));
}

module.exports = { noted, replay };
`;

/**
 * Calls of changed modules in JavaScript and TypeScript. A module is moved aside and a file of ours takes its name, which
 * hands on what it exports and notes each call: so it works whatever loads the module (Node, vitest, jest, a compiler).
 */
export const javascriptReplay: ReplayLanguage = {
  handles: (path) => /\.([cm]?js|[cm]?ts|jsx|tsx)$/.test(path) && !/\.d\.[cm]?ts$/.test(path),

  async instrument({ path, text, exportsOf, recorder, log, users }) {
    const names = await exportsOf();
    if (names.length === 0) return null;
    const aside = `k${randomBytes(5).toString("hex")}`;
    const moved = path.replace(/(\.[^./]+)$/, `.${aside}$1`);
    const load = `./${basename(moved, extname(moved))}${endingUsed(path, users)}`;
    const note = JSON.stringify([path, log]);
    if (isCommonJs(path, text)) {
      const lines = [
        `const real = require(${JSON.stringify(load)});`,
        `const { noted } = require(${JSON.stringify(recorder)});`,
        `module.exports = noted.module(real, ...${note});`,
      ];
      return { moved, wrapper: `${lines.join("\n")}\n` };
    }
    const lines = names.map((name) =>
      name === "default"
        ? `export default noted(real.default, "default", ...${note});`
        : `export const ${name} = noted(real.${name}, "${name}", ...${note});`,
    );
    const head = [
      ...(/tsx?$/.test(path)
        ? ["// @ts-nocheck", `export type * from ${JSON.stringify(load)};`]
        : []),
      `import * as real from ${JSON.stringify(load)};`,
      'import { createRequire } from "node:module";',
      `const { noted } = createRequire("/")(${JSON.stringify(recorder)});`,
    ];
    return { moved, wrapper: `${[...head, ...lines].join("\n")}\n` };
  },

  recorder: { name: "recorder.cjs", text: RECORDER },

  exportsProgram: (file) => ({
    command: "node",
    args: [
      "--input-type=module",
      "-e",
      `const all = await import(${JSON.stringify(file)}); const names = Object.keys(all); console.log("\n@names " + JSON.stringify(names)); process.exit(0)`,
    ],
  }),

  /** Reads calls, writes what they give; as an ordinary program, or as the body of a test. */
  replayProgram(calls, output) {
    return `const { replay } = require(${JSON.stringify(calls.recorder)});\nreplay(${JSON.stringify(calls)}, ${JSON.stringify(output)}).then(() => process.exit(0));\n`;
  },

  replayTest(report, sample, folder, { calls, output, title }) {
    const old = !/^\s*import\b/m.test(sample);
    const require = old ? "require" : "createRequire(import.meta.url)";
    const head = old ? "" : 'import { createRequire } from "node:module";\n';
    const runner =
      report === "node-test"
        ? old
          ? 'const { test } = require("node:test");\n'
          : 'import { test } from "node:test";\n'
        : report === "vitest"
          ? 'import { test } from "vitest";\n'
          : "";
    if (!["node-test", "vitest", "jest", "mocha"].includes(report)) return null;
    const loaded = calls.modules.map((path) => {
      const to = relative(folder, path);
      const place = JSON.stringify(to.startsWith(".") ? to : `./${to}`);
      return `${JSON.stringify(path)}: () => ${old ? `Promise.resolve().then(() => require(${place}))` : `import(${place})`}`;
    });
    const word = report === "mocha" ? "it" : "test";
    return `${head}${runner}${word}(${JSON.stringify(title)}, async () => {\n  await ${require}(${JSON.stringify(calls.recorder)}).replay(${JSON.stringify(calls)}, ${JSON.stringify(output)}, { ${loaded.join(", ")} });\n});\n`;
  },
};

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
