import type { FileVersions } from "@ccw-loop/core";
import { diffLists, missingIn } from "../code/diff.ts";
import { languageOf } from "../code/languages.ts";
import { statementsOf } from "../code/statements.ts";
import type { Finding } from "../finding.ts";

/** What a changed or deleted file says that tests compare with; a new one says nothing. */
export function inspectData({ path, before, after }: FileVersions): Finding[] {
  if (before === null) return [];
  const finding = (line: number | null, removed: string[], added: string[], message: string) => [
    {
      kind: "loosened" as const,
      path,
      line,
      removed,
      added,
      identity: [...removed, "", ...added].join("\n"),
      message,
    },
  ];
  if (after === null) {
    return finding(null, [], [], "A file that tests compare with or read was deleted.");
  }
  if (before === undefined || after === undefined) {
    return finding(null, [], [], unseen("A file that tests compare with or read"));
  }
  if (isSame(path, before, after) || onlyMoreEntries(path, before, after)) return [];
  const old = linesOf(before);
  const now = linesOf(after);
  const hunks = diffLists(old, now);
  const removed = hunks.flatMap(({ removed: gone }) => gone.map((at) => old[at] ?? ""));
  const added = hunks.flatMap(({ added: come }) => come.map((at) => now[at] ?? ""));
  const line = (hunks[0]?.at ?? 0) + 1;
  return finding(line, removed, added, "A file that tests compare with or read was changed.");
}

export function unseen(what: string): string {
  return `${what} was changed, and its lines cannot be shown because it is no text or too large.`;
}

function linesOf(text: string): string[] {
  return text.replace(/\s+$/, "").split(/\r\n?|\n/);
}

/** The same data: line ends do not count, nor does how JSON and code are laid out. */
function isSame(path: string, before: string, after: string): boolean {
  if (linesOf(before).join("\n") === linesOf(after).join("\n")) return true;
  const language = languageOf(path);
  if (language) {
    const spelled = (text: string) =>
      statementsOf(text, language).map((one) => `${one.depth} ${one.text}`);
    return spelled(before).join("\n") === spelled(after).join("\n");
  }
  try {
    return JSON.stringify(JSON.parse(before)) === JSON.stringify(JSON.parse(after));
  } catch {
    return false;
  }
}

/** How one file holds the snapshots of many tests: what begins the next one. */
const ENTRY: readonly [RegExp, RegExp][] = [
  [/\.snap$/, /^exports\[`/],
  [/\.ambr$/, /^# name: /],
];

/** Whether every snapshot of before is still there as it was. */
function onlyMoreEntries(path: string, before: string, after: string): boolean {
  const start = ENTRY.find(([name]) => name.test(path))?.[1];
  if (!start) return false;
  const old = entries(before, start);
  return old.length > 1 && missingIn(old, entries(after, start)).length === 0;
}

/** The head of the file, then its entries. */
function entries(text: string, start: RegExp): string[] {
  const found: string[][] = [[]];
  for (const line of linesOf(text)) {
    if (start.test(line)) found.push([]);
    found.at(-1)?.push(line);
  }
  return found.map((lines) => lines.join("\n").trim());
}
