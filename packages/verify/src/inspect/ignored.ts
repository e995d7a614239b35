import type { FileVersions } from "@ccw-loop/core";
import ignore from "ignore";
import type { Finding } from "./finding.ts";
import { quoted } from "./finding.ts";

const IGNORE_FILE = /(?:^|\/)\.gitignore$/;

export function isIgnoreFile(path: string): boolean {
  return IGNORE_FILE.test(path);
}

/** Test files that git does not see any more; `tests` are those of the project. */
export function inspectIgnored(
  { path, before, after }: FileVersions,
  tests: readonly string[],
): Finding[] {
  if (typeof after !== "string") return [];
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const below = tests
    .filter((test) => test.startsWith(folder))
    .map((test) => test.slice(folder.length));
  const old = ignore().add(typeof before === "string" ? before : "");
  const now = ignore().add(after);
  const hidden = below.filter((test) => now.ignores(test) && !old.ignores(test));
  if (hidden.length === 0) return [];
  const known = new Set((before ?? "").split(/\r\n?|\n/));
  const lines = after.split(/\r\n?|\n/);
  const added = lines.filter(
    (line) => !known.has(line) && line.trim() !== "" && !line.startsWith("#"),
  );
  return [
    {
      kind: "excluded",
      path,
      line: lines.indexOf(added[0] ?? "") + 1 || null,
      removed: [],
      added,
      identity: added.join("\n"),
      message: `Git does not see ${hidden.slice(0, 3).map(quoted).join(", ")}${hidden.length > 3 ? ` and ${hidden.length - 3} more test files` : ""} any more.`,
    },
  ];
}
