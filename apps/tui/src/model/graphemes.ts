/** Places in a text, in UTF-16 units, between the characters that a person sees. */

const graphemes = new Intl.Segmenter();
const words = new Intl.Segmenter(undefined, { granularity: "word" });

/** The characters of a text as a person sees them. */
export function graphemesOf(text: string): string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

/** The first place between graphemes from `at` on. */
export function boundary(text: string, at: number): number {
  const inside = at > 0 && at < text.length ? graphemes.segment(text).containing(at) : undefined;
  if (inside === undefined) return Math.min(Math.max(at, 0), text.length);
  return inside.index === at ? at : inside.index + inside.segment.length;
}

export function nextBoundary(text: string, at: number): number {
  const next = graphemes.segment(text).containing(at);
  return next === undefined ? text.length : next.index + next.segment.length;
}

export function previousBoundary(text: string, at: number): number {
  return at <= 0 ? 0 : (graphemes.segment(text).containing(at - 1)?.index ?? 0);
}

/** Behind the word that stands or begins at or after `at`. */
export function afterWord(text: string, at: number): number {
  for (const { index, segment, isWordLike } of words.segment(text)) {
    const end = index + segment.length;
    if (isWordLike && end > at) return boundary(text, end);
  }
  return text.length;
}

/** Before the word that stands or ends before `at`. */
export function beforeWord(text: string, at: number): number {
  let start = 0;
  for (const { index, isWordLike } of words.segment(text)) {
    if (index >= at) break;
    if (isWordLike) start = index;
  }
  return previousOrSame(text, start);
}

function previousOrSame(text: string, at: number): number {
  return at >= text.length ? at : (graphemes.segment(text).containing(at)?.index ?? at);
}
