import { type Piece, styledRows } from "./styled-rows.ts";

const FONT = 14;
const CELL = { width: 8.4, height: 17 };
const MARGIN = 16;
const BASELINE = 13;
const INK = "#c9d1d9";
const PAPER = "#0d1117";
const FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";

/** A picture of a terminal of that many columns from what it shows, colors and all. */
export function svgOf(captured: string, { columns, title }: { columns: number; title: string }) {
  const rows = styledRows(captured);
  const width = round(columns * CELL.width + 2 * MARGIN);
  const height = round(rows.length * CELL.height + 2 * MARGIN);
  const body = rows.flatMap((row, y) => row.flatMap((piece) => drawn(piece, y)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${PAPER}"/>`,
    `<g font-family="${FONTS}" font-size="${FONT}" fill="${INK}">`,
    ...body,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

/** Spaces need no ink, and a word keeps to its columns whatever font there is. */
function drawn({ at, columns, text, look }: Piece, y: number): string[] {
  const x = round(MARGIN + at * CELL.width);
  const top = round(MARGIN + y * CELL.height);
  const ink = look.inverse ? PAPER : look.color;
  const length = round(columns * CELL.width);
  const fill = look.color ?? INK;
  const ground = `<rect x="${x}" y="${top}" width="${length}" height="${CELL.height}" fill="${fill}"/>`;
  const style = [
    `y="${round(top + BASELINE)}" lengthAdjust="spacingAndGlyphs"`,
    ...(ink === null ? [] : [`fill="${ink}"`]),
    ...(look.bold ? ['font-weight="bold"'] : []),
  ];
  // Browsers fold spaces, so that only single ones between words are left to them.
  const words = [...text.matchAll(/\S+(?: \S+)*/g)].map(([word], i, all) => {
    const before = [...text.slice(0, all[i]?.index)].length;
    const wide = all.length === 1 && text === word ? columns : [...word].length;
    const place = `x="${round(x + before * CELL.width)}" textLength="${round(wide * CELL.width)}"`;
    return `<text ${place} ${style.join(" ")}>${escaped(word)}</text>`;
  });
  return [...(look.inverse ? [ground] : []), ...words];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
