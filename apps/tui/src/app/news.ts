import { type Line, textOf } from "../frame/line.ts";

/** How long something takes or how long ago it was; that changes by itself and is no news. */
const SINCE = /\b(changed|goes on in|runs for|\(in) \d+(?:\.\d+)?(?:ms|[smhd])(?: \d+[smhd])*/g;

/** The lines that say something that was not told before. */
export function changedLines(lines: readonly Line[], told: readonly Line[]): Line[] {
  const known = new Set(told.map(withoutDurations).flatMap(unmarked));
  return lines.filter((of) => !known.has(withoutDurations(of)));
}

function withoutDurations(of: Line): string {
  return textOf(of).replaceAll(SINCE, "$1");
}

/** What was told as the selected line is known as any line of its list, too. */
function unmarked(text: string): string[] {
  return text.startsWith("> ") ? [text, `- ${text.slice(2)}`] : [text];
}
