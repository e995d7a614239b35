import { diffLists, missingIn } from "./diff.ts";
import { languageOf } from "./languages.ts";
import { statementsOf } from "./statements.ts";

type Text = string | null | undefined;

/** What a file says apart from its layout: statements of code without comments, lines of everything else. */
function spelled(path: string, text: Text): string[] {
  const language = languageOf(path);
  if (language) return statementsOf(text ?? "", language).map((one) => `${one.depth} ${one.text}`);
  return linesOf(text).filter(Boolean);
}

function linesOf(text: Text): string[] {
  return (text ?? "").split(/\r\n?|\n/).map((line) => line.trim());
}

/** Whether two texts of a file differ in their layout alone. */
export function isOnlyLaidOut(path: string, before: Text, after: Text): boolean {
  if (typeof before !== "string" || typeof after !== "string") return false;
  return spelled(path, before).join("\n") === spelled(path, after).join("\n");
}

/** The lines that differ, the 1-based place of the first in the new text, and what tells this change from others. */
export function difference(
  path: string,
  before: Text,
  after: Text,
): { line: number | null; removed: string[]; added: string[]; identity: string } {
  const old = linesOf(before);
  const now = linesOf(after);
  const hunks = diffLists(old, now);
  const [then, since] = [spelled(path, before), spelled(path, after)];
  return {
    line: hunks[0] ? hunks[0].at + 1 : null,
    removed: hunks.flatMap(({ removed }) => removed.map((at) => old[at] ?? "")),
    added: hunks.flatMap(({ added }) => added.map((at) => now[at] ?? "")),
    identity: [
      ...missingIn(then, since).map((at) => `- ${then[at]}`),
      ...missingIn(since, then).map((at) => `+ ${since[at]}`),
    ].join("\n"),
  };
}
