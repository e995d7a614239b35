import type { FileCoverage } from "../ports/verifier.ts";

export interface ChangedLineCoverage {
  /** Changed lines that can be executed at all, by the files that the coverage knows. */
  executable: number;
  covered: number;
  missed: { path: string; lines: number[] }[];
}

/** `changed` holds line numbers by path, as `changedLines` gives them. Files without line lists say nothing. */
export function changedLineCoverage(
  files: readonly FileCoverage[],
  changed: ReadonlyMap<string, readonly number[]>,
): ChangedLineCoverage {
  let covered = 0;
  let uncovered = 0;
  const missed: ChangedLineCoverage["missed"] = [];
  for (const file of files) {
    const lines = new Set(changed.get(file.path));
    if (lines.size === 0) continue;
    covered += file.hit.filter((line) => lines.has(line)).length;
    const open = file.missed.filter((line) => lines.has(line));
    uncovered += open.length;
    if (open.length > 0) missed.push({ path: file.path, lines: open });
  }
  return { executable: covered + uncovered, covered, missed };
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/**
 * The lines that a unified git patch (with `a/` and `b/`) adds, numbered as in the new files, by path. Files
 * without any, such as deleted, binary or only renamed ones, are left out, as are names with quotes or control characters.
 */
export function changedLines(patch: string): Map<string, number[]> {
  const found = new Map<string, number[]>();
  let path: string | null = null;
  let at = 0;
  /** What is left of the hunk on either side: inside it a line may well look like a header. */
  let before = 0;
  let after = 0;
  for (const line of patch.split("\n")) {
    const mark = line.charAt(0) || " ";
    if ((before <= 0 && after <= 0) || !"+- \\".includes(mark)) {
      [before, after] = [0, 0];
      if (line.startsWith("diff --git ")) path = null;
      if (line.startsWith("+++ ")) path = newPath(line.slice(4));
      const hunk = HUNK.exec(line);
      if (!hunk) continue;
      at = Number(hunk[2]);
      [before, after] = [Number(hunk[1] ?? 1), Number(hunk[3] ?? 1)];
      continue;
    }
    if (mark === "+" && path !== null) add(found, path, at);
    if (mark === "+" || mark === " ") {
      at += 1;
      after -= 1;
    }
    if (mark === "-" || mark === " ") before -= 1;
  }
  return found;
}

function add(found: Map<string, number[]>, path: string, line: number): void {
  const lines = found.get(path);
  if (lines) lines.push(line);
  else found.set(path, [line]);
}

/** What stands behind `+++ `: null for `/dev/null`, and for a name that git quotes. Git ends a name with spaces by a tab. */
function newPath(text: string): string | null {
  const name = text.replace(/\t$/, "");
  return name === "/dev/null" || name.startsWith('"') ? null : name.replace(/^b\//, "");
}
