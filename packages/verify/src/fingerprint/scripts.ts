import { join } from "node:path";
import { tryParseJson } from "@ccw-loop/core";
import { readPlain } from "@ccw-loop/processes/plain-file";
import { z } from "zod";
import { readPackage } from "../detect/javascript.ts";

/** The text of a package manager's script in a folder; undefined where it has none of that name. */
export type ScriptOf = (folder: string, manager: string, name: string) => string | undefined;

export const scriptOf: ScriptOf = (folder, manager, name) => {
  const scripts = manager === "composer" ? composerScripts(folder) : readPackage(folder)?.scripts;
  return scripts && Object.hasOwn(scripts, name) ? scripts[name] : undefined;
};

const Entry = z.union([z.string(), z.array(z.string())]).catch("");
const Composer = z.object({ scripts: z.record(z.string(), Entry).catch({}) });

/** A list is run one after the other; `@php` and `@composer` are programs, any other `@name` is a script. */
function composerScripts(folder: string): Record<string, string> {
  try {
    const text = readPlain(join(folder, "composer.json"), { followLinks: true })?.toString("utf8");
    const { scripts } = Composer.parse(tryParseJson(text));
    return Object.fromEntries(
      Object.entries(scripts).map(([name, entry]) => [name, [entry].flat().map(plain).join("\n")]),
    );
  } catch {
    return {};
  }
}

function plain(line: string): string {
  return line.replace(/^@(php|composer)\s/, "$1 ").replace(/^@(?=\S)/, "composer run ");
}
