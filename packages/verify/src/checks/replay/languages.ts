import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isTestFile } from "../../files/test-files.ts";
import { javascriptReplay } from "./javascript/javascript.ts";
import type { ReplayLanguage } from "./language.ts";
import { pythonReplay } from "./python/python.ts";

const LANGUAGES = [javascriptReplay, pythonReplay];

/** The languages of these sources in which calls can be repeated. */
export function languagesOf(sources: readonly string[]): ReplayLanguage[] {
  return LANGUAGES.filter(({ handles }) => sources.some(handles));
}

/** Modules of the project that the tests load, but for other tests. */
export async function modulesUsed(tests: readonly string[], cwd: string): Promise<string[]> {
  const found = new Set<string>();
  for (const test of tests) {
    const language = LANGUAGES.find(({ handles }) => handles(test));
    const text = await readFile(join(cwd, test), "utf8").catch(() => "");
    for (const places of language?.loadedBy(test, text) ?? []) {
      const isModule = (path: string) => language?.handles(path) && existsSync(join(cwd, path));
      const path = places.find(isModule);
      if (path !== undefined && !path.startsWith("..") && !isTestFile(path)) found.add(path);
    }
  }
  return [...found];
}
