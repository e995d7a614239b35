/** What every line of instrumentation carries, and the name of every file that is nothing else. */
export const PROBE_MARK = "ccw-probe";

/**
 * A file's text without the lines that were put in to observe it. Lines with the mark that `before`, the text as it
 * was, has itself stay. Where a line of instrumentation stands in the place of another one, that one comes back.
 */
export function withoutProbes(text: string, before?: string): string {
  if (!text.includes(PROBE_MARK)) return text;
  const all = linesOf(text);
  const whole = linesOf(before ?? "");
  if (before !== undefined && isAddedTo(whole, all)) return before;
  const own = new Map<string, number>();
  for (const line of whole.filter(isMarked)) {
    own.set(bare(line), (own.get(bare(line)) ?? 0) + 1);
  }
  const kept = all.filter((line) => {
    if (!isMarked(line)) return true;
    const left = own.get(bare(line)) ?? 0;
    own.set(bare(line), left - 1);
    return left > 0;
  });
  const removed = all.length - kept.length;
  const replaced = before !== undefined && removed > 0 && whole.length - kept.length <= removed;
  return replaced && isPartOf(kept, whole) ? before : kept.join("");
}

/** Whether nothing but marked lines came to those that were there. */
function isAddedTo(before: readonly string[], lines: readonly string[]): boolean {
  const others = (all: readonly string[]) => all.filter((line) => !isMarked(line)).length;
  return others(before) === others(lines) && isPartOf(before, lines);
}

/** Whether `lines` are among those of `whole`, in the same order. */
function isPartOf(lines: readonly string[], whole: readonly string[]): boolean {
  let at = 0;
  for (const line of whole) {
    if (at < lines.length && bare(lines[at] ?? "") === bare(line)) at += 1;
  }
  return at === lines.length;
}

/** Each with its line end. */
function linesOf(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

function isMarked(line: string): boolean {
  return line.includes(PROBE_MARK);
}

function bare(line: string): string {
  return line.replace(/\r?\n$/, "");
}
