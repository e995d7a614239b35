import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CheckOptions } from "@ccw-loop/core";
import { isTestFile } from "../files/test-files.ts";
import { filesUnder } from "../files/walk.ts";
import { quotes, titlesIn } from "./falsify.ts";

/** How many files are looked into for tests. */
const LOOKED_INTO = 500;

/**
 * Where the text of the tests is. Reports name a package or a crate (Go, Rust), or what the file was built into, which a
 * clean room does not have before its tests ran: then it is the one file in which a test of that name begins,
 * or which quotes it.
 */
export async function locateTests(options: CheckOptions, cwd: string): Promise<CheckOptions> {
  const isThere = ({ file }: CheckOptions["green"][number]) =>
    file !== undefined && existsSync(join(cwd, file));
  if (options.green.every(isThere)) return options;
  const texts = await testTexts(cwd);
  const titles = new Map(texts.map(([path, text]) => [path, new Set(titlesIn(text))]));
  const filesWith = (name: string) => {
    const beginning = texts.filter(([path]) => titles.get(path)?.has(name));
    return beginning.length > 0 ? beginning : texts.filter(([, text]) => quotes(text, name));
  };
  const green = options.green.map((one) => {
    if (isThere(one)) return one;
    const files = filesWith(nameOf(one.id)).map(([path]) => path);
    return { id: one.id, file: files.length === 1 ? files[0] : undefined };
  });
  return { ...options, green };
}

/** What a test calls itself: without its suite, its parameters and its number. */
export function nameOf(id: string): string {
  const last =
    id
      .replace(/ #\d+$/, "")
      .split(" > ")
      .at(-1) ?? id;
  return last.replace(/^(\w+::)+(?=\w+$)/, "").replace(/^([tT]est\w*)[[/].*$/s, "$1");
}

/** Texts of files that may hold tests. */
async function testTexts(cwd: string): Promise<[path: string, text: string][]> {
  const found: [string, string][] = [];
  for await (const path of filesUnder(cwd)) {
    if (!isTestFile(path) && !path.endsWith(".rs")) continue;
    if (found.length >= LOOKED_INTO) break;
    found.push([path, await readFile(join(cwd, path), "utf8").catch(() => "")]);
  }
  return found;
}
