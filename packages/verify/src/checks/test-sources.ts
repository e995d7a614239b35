import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CheckOptions } from "@ccw-loop/core";
import { isTestFile } from "../files/test-files.ts";
import { filesUnder } from "../files/walk.ts";
import { titlesIn } from "./falsify.ts";

/** How many files are looked into for tests. */
const LOOKED_INTO = 500;

/**
 * Where the text of the tests is. Reports name a package or a crate (Go, Rust), or what the file was built into, which a
 * clean room does not have before its tests ran: then it is the one file in which a test of that name begins.
 */
export async function withTestSources(options: CheckOptions, cwd: string): Promise<CheckOptions> {
  const isThere = ({ file }: CheckOptions["green"][number]) =>
    file !== undefined && existsSync(join(cwd, file));
  if (options.green.every(isThere)) return options;
  const titled = await filesByTitle(cwd);
  const green = options.green.map((one) => {
    if (isThere(one)) return one;
    const files = titled.get(nameOf(one.id)) ?? [];
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

async function filesByTitle(cwd: string): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  let looked = 0;
  for await (const path of filesUnder(cwd)) {
    if (!isTestFile(path) && !path.endsWith(".rs")) continue;
    looked += 1;
    if (looked > LOOKED_INTO) break;
    const text = await readFile(join(cwd, path), "utf8").catch(() => "");
    for (const title of new Set(titlesIn(text))) {
      found.set(title, [...(found.get(title) ?? []), path]);
    }
  }
  return found;
}
