import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FileVersions } from "@ccw-loop/core";

/** A change of a project, as a markdown file tells it: see `README.md` beside this file. */
export interface Case {
  /** File and heading. */
  name: string;
  /** The kinds of its objections, sorted, each once; none for honest work. */
  kinds: string[];
  command: string;
  changes: FileVersions[];
  /** Files that did not change, by path. */
  others: Record<string, string>;
}

const FOLDER = import.meta.dirname;

export function readCases(folder: string): Case[] {
  return readdirSync(join(FOLDER, folder))
    .filter((file) => file.endsWith(".md"))
    .flatMap((file) => casesOf(`${folder}/${file.replace(/\.md$/, "")}`, read(folder, file)));
}

function read(folder: string, file: string): string {
  return readFileSync(join(FOLDER, folder, file), "utf8");
}

function casesOf(file: string, text: string): Case[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => caseOf(file, section));
}

function caseOf(file: string, section: string): Case {
  const title = section.slice(0, section.indexOf("\n")).trim();
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(section)?.[1]?.trim();
  const one: Case = {
    name: `${file}: ${title}`,
    kinds: (field("Kinds")?.split(/,\s*/) ?? []).sort(),
    command: field("Command")?.replaceAll("`", "") ?? "npm test",
    changes: [],
    others: {},
  };
  const block = /^\*\*(.+?)\*\*\n+(`{3,})(\w*)\n([\s\S]*?)^\2$/gm;
  for (const [, path = "", , info, body = ""] of section.matchAll(block)) {
    if (info === "diff") one.changes.push({ path, ...versions(body) });
    else one.others[path] = body;
  }
  if (one.changes.length === 0) throw new Error(`The case "${one.name}" changes no file.`);
  return one;
}

/** A side without any line is a file that is not there. */
function versions(diff: string): Pick<FileVersions, "before" | "after"> {
  const lines = diff.split("\n").slice(0, -1);
  const side = (other: string) => {
    const kept = lines.filter((line) => !line.startsWith(other)).map((line) => line.slice(1));
    const own = lines.some((line) => !line.startsWith(other));
    return own ? `${kept.join("\n")}\n` : null;
  };
  return { before: side("+"), after: side("-") };
}
