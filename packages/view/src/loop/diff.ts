import type { LoopDiff } from "@ccw-loop/core";
import { inertText } from "../text/inert-text.ts";
import type { Paint, Tone } from "../text/paint.ts";
import { table } from "../text/table.ts";

/** A patch for people at a terminal. */
export function paintedPatch(patch: string, paint: Paint): string {
  // Each line by itself: a carriage return in a file must not make a line that the patch does not have.
  return patch
    .split("\n")
    .map((line) => inertText(line).replaceAll("\n", ""))
    .map((line) => paint(toneOf(line), line))
    .join("\n");
}

function toneOf(line: string): Tone {
  if (
    /^(diff |index |--- |\+\+\+ |new file|deleted file|old mode|new mode|similarity|rename)/.test(
      line,
    )
  )
    return "strong";
  if (line.startsWith("@@")) return "name";
  if (line.startsWith("+")) return "good";
  return line.startsWith("-") ? "bad" : "plain";
}

const KINDS = {
  added: { word: "added", tone: "good" },
  modified: { word: "changed", tone: "plain" },
  deleted: { word: "deleted", tone: "bad" },
} as const satisfies Record<LoopDiff["files"][number]["kind"], { word: string; tone: Tone }>;

/** A row for each file, and their sum. */
export function statText({ files, from, to }: LoopDiff, paint: Paint): string {
  const sum = (of: "added" | "removed") =>
    files.reduce((total, file) => total + (file[of] ?? 0), 0);
  const count = `${files.length} ${files.length === 1 ? "file" : "files"}`;
  const last = `${count}, +${sum("added")} -${sum("removed")}, from checkpoint ${from} to ${to}`;
  if (files.length === 0) return last;
  const rows = files.map(({ path, kind, added, removed }) => ({
    tone: KINDS[kind].tone,
    cells: [KINDS[kind].word, added === null ? "binary" : `+${added} -${removed ?? 0}`, path],
  }));
  return [...table(["FILE", "LINES", "PATH"], rows, { columns: undefined, paint }), last].join(
    "\n",
  );
}
