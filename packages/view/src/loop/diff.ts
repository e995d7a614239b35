import { counted, type LoopDiff } from "@ccw-loop/core";
import type { Paint, Tone, TonedLine } from "../text/paint.ts";
import { sanitizeText } from "../text/sanitize.ts";
import { type Row, table } from "../text/table.ts";

export function paintedPatch(patch: string, paint: Paint): string {
  return patchLines(patch)
    .map(({ tone, text }) => paint(tone, text))
    .join("\n");
}

/** The lines of a patch, harmless, each with what it is. */
export function patchLines(patch: string): TonedLine[] {
  // Each line by itself: a carriage return in a file must not make a line that the patch does not have.
  return patch.split("\n").map((line) => {
    const text = sanitizeText(line).replaceAll("\n", "");
    return { tone: toneOf(text), text };
  });
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

export function statText({ files, from, to }: LoopDiff, paint: Paint): string {
  const last = diffSum({ files, from, to });
  if (files.length === 0) return last;
  const rows = fileRows(files);
  return [...table(["FILE", "LINES", "PATH"], rows, { columns: undefined, paint }), last].join(
    "\n",
  );
}

/** A row for each file: what became of it, how many lines, its path. */
export function fileRows(files: LoopDiff["files"]): Row[] {
  return files.map(({ path, kind, added, removed }) => ({
    tone: KINDS[kind].tone,
    cells: [KINDS[kind].word, added === null ? "binary" : `+${added} -${removed ?? 0}`, path],
  }));
}

/** `2 files, +3 -1, from checkpoint 0 to 4`. */
export function diffSum({ files, from, to }: Pick<LoopDiff, "files" | "from" | "to">): string {
  const sum = (of: "added" | "removed") =>
    files.reduce((total, file) => total + (file[of] ?? 0), 0);
  const count = counted(files.length, "file");
  return `${count}, +${sum("added")} -${sum("removed")}, from checkpoint ${from} to ${to}`;
}
