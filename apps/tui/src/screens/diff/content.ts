import type { LoopDiff } from "@ccw-loop/core";
import { diffSum, fileRows, patchLines, type TonedLine, table } from "@ccw-loop/view";
import { type Place, shellCommand } from "../../model/model.ts";

/** Nobody reads more here; git tells the rest. */
const MOST_FILES = 500;
const MOST_LINES = 20_000;
const MOST_CHARACTERS = 4_000_000;

/** Sum, files and patch of a diff; what is left out of a huge one is said at the end. */
export function diffContent(diff: LoopDiff, id: string, place: Place): TonedLine[] {
  const files = diff.files.slice(0, MOST_FILES);
  const rows = fileRows(files);
  const texts = rows.length === 0 ? [] : table(["", "", ""], rows, PLAIN).slice(1);
  const more = diff.files.length - files.length;
  const patch = diff.patch.slice(0, MOST_CHARACTERS).split("\n", MOST_LINES);
  const shown = patchLines(patch.join("\n"));
  return [
    { tone: "strong", text: diffSum(diff) },
    ...texts.map((text, i): TonedLine => ({ tone: rows[i]?.tone ?? "plain", text })),
    ...(more > 0 ? [{ tone: "warning" as const, text: `… and ${more} files more` }] : []),
    { tone: "plain", text: "" },
    ...shown.map(({ tone, text }) => ({ tone, text: text.replaceAll("\t", "    ") })),
    ...leftOut(diff, patch.join("\n").length, (range) =>
      shellCommand(place, `diff ${id} ${range}`),
    ),
  ];
}

const PLAIN = { columns: undefined, paint: (_tone: unknown, text: string) => text };

function leftOut(
  { patch, from, to }: LoopDiff,
  shown: number,
  command: (range: string) => string,
): TonedLine[] {
  if (shown >= patch.length) return [];
  const percent = Math.max(1, Math.round((1 - shown / patch.length) * 100));
  const text = `… ${percent} % of the patch is left out here; all of it: ${command(`${from}..${to}`)}`;
  return [{ tone: "warning", text }];
}
