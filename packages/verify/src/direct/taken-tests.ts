import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DirectRoom } from "./direct-start.ts";

/**
 * Takes files that hold nothing but tests out of a room, so that no program reads their lines or looks for them while they run:
 * those have the texts in memory, from `tests.json` beside them.
 */
export async function takeTests(about: DirectRoom): Promise<void> {
  const { root, folder, tests, sources, isTaken, textOf } = about;
  const paths = isTaken ? tests.filter((path) => !sources.includes(path)) : [];
  const texts = Object.fromEntries(paths.map((path) => [path, textOf(path)]));
  await writeFile(join(folder, "tests.json"), JSON.stringify(texts));
  for (const path of paths) await rm(join(root, path), { force: true });
}

/** Test files are there while a module of them is looked for and loaded, which runs no code of the project. */
export const TAKEN_TESTS = `
const taken = new Map();
/** From here on the tests of these files are found by whoever loads them as modules, and by nobody else. */
function takeTests(root) {
  const texts = JSON.parse(readFileSync(new URL("tests.json", import.meta.url), "utf8"));
  for (const [path, text] of Object.entries(texts)) taken.set(join(root, path), text);
  if (taken.size === 0) return;
  if (!nodeModule.registerHooks) return giveTests();
  const given = (act) => {
    giveTests();
    try { return act(); } finally { hideTests(); }
  };
  nodeModule.registerHooks({
    resolve(name, context, next) {
      try {
        return next(name, context);
      } catch (error) {
        if (nodeModule.isBuiltin(name)) throw error;
        return given(() => next(name, context));
      }
    },
    load(url, context, next) {
      const text = url.startsWith("file:") ? taken.get(fileURLToPath(url)) : undefined;
      if (text === undefined) return next(url, context);
      const found = given(() => next(url, context));
      // What is imported of CommonJS is looked for once more, and no hook is asked.
      const isRequired = found.format !== "commonjs" || context.conditions.includes("require");
      if (!isRequired) return { format: "module", source: requiring(fileURLToPath(url)), shortCircuit: true };
      return { ...found, source: found.source ?? text };
    },
  });
}
const requiring = (path) => 'import { createRequire } from "node:module"; export default createRequire("/")(' + JSON.stringify(path) + ");";
function giveTests() {
  for (const [path, text] of taken) writeFileSync(path, text);
}
function hideTests() {
  for (const path of taken.keys()) rmSync(path, { force: true });
}
`;
