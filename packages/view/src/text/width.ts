import stringWidth from "string-width";

const segments = new Intl.Segmenter();

/** Characters that take one column each, whatever stands beside them: most text, and what frames are drawn with. */
const NARROW =
  /^[\x20-\x7E\xA0-\xAC\xAE-\u02FF\u0391-\u03A1\u03A3-\u0482\u2010-\u2027\u2190-\u21FF\u2500-\u25FC\u2714\u2716]*$/;

/** The columns that plain text takes on a terminal; wide characters take two. */
export function widthOf(text: string): number {
  // A screen measures every row of every frame, and the full answer takes a hundred times as long.
  return NARROW.test(text) ? text.length : stringWidth(text);
}

/** Plain text cut to at most `width` columns; `…` stands for what is missing. Never cuts inside a character. */
export function truncateToWidth(text: string, width: number): string {
  if (width <= 0) return "";
  if (widthOf(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of segments.segment(text)) {
    const next = used + widthOf(segment);
    if (next > width - 1) break;
    kept += segment;
    used = next;
  }
  return `${kept}…`;
}

/** Plain text filled with spaces up to `width` columns. */
export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}
