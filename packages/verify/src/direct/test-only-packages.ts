import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { tryParseJson } from "@ccw-loop/core";
import { filesUnder, isTestFile } from "@ccw-loop/test-runner/project-files";
import { quotes } from "../test-text.ts";
import type { DirectRoom } from "./direct-start.ts";

/** More files of a project are not looked into. */
const FILES = 5000;

/**
 * Packages that tests alone load: users of the project do not get them, and no source that nobody changed names one. Tests
 * that are started directly have copies of their own.
 */
export async function judgesOf({ root, tests, sources, textOf }: DirectRoom): Promise<string[]> {
  const manifest = await readFile(join(root, "package.json"), "utf8").catch(() => "");
  const { devDependencies = {}, ...rest } = Object(tryParseJson(manifest));
  const users = ["dependencies", "peerDependencies", "optionalDependencies"];
  const ordinary = new Set(users.flatMap((key) => Object.keys(Object(rest[key]))));
  const names = (text: string, name: string) =>
    quotes(text, name) || ['"', "'"].some((quote) => text.includes(`${quote}${name}/`));
  let judges = Object.keys(Object(devDependencies)).filter(
    (name) => !ordinary.has(name) && tests.some((path) => names(textOf(path), name)),
  );
  let looked = 0;
  for await (const path of filesUnder(root)) {
    if (judges.length === 0 || looked >= FILES) break;
    if (!/\.[cm]?[jt]sx?$/.test(path) || isTestFile(path) || sources.includes(path)) continue;
    looked += 1;
    const text = await readFile(join(root, path), "utf8").catch(() => "");
    judges = judges.filter((name) => !names(text, name));
  }
  return judges;
}
