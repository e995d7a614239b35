import stringWidth from "string-width";

const segments = new Intl.Segmenter();

/** The columns that plain text takes on a terminal; wide characters take two. */
export const widthOf = (text: string): number => stringWidth(text);

/** Plain text cut to at most `width` columns; `…` stands for what is missing. Never cuts inside a character. */
export function clip(text: string, width: number): string {
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
