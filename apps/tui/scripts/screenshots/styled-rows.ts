import { widthOf } from "@ccw-loop/view";

/** How a piece of a row looks: all that the interface uses in a terminal of all colors. */
export interface Look {
  /** As CSS knows it; null is the terminal's own. */
  color: string | null;
  bold: boolean;
  inverse: boolean;
}

/** Text of one look from column `at` on. A wide character is a piece of its own. */
export interface Piece {
  at: number;
  columns: number;
  text: string;
  look: Look;
}

const PLAIN: Look = { color: null, bold: false, inverse: false };

const ESC = "\u001b";
const SEQUENCE = new RegExp(`${ESC}\\[([\\d;:]*)m`, "g");
const segments = new Intl.Segmenter();

/** The rows of a screen as `tmux capture-pane -e -p` prints them. A look lasts over the end of its row. */
export function styledRows(captured: string): Piece[][] {
  let look = PLAIN;
  return captured
    .replace(/\n$/, "")
    .split("\n")
    .map((row) => {
      const pieces: Piece[] = [];
      let at = 0;
      let from = 0;
      const take = (text: string) => {
        at = withText(pieces, text, at, look);
      };
      for (const match of row.matchAll(SEQUENCE)) {
        take(row.slice(from, match.index));
        from = match.index + match[0].length;
        look = styled(look, match[1] ?? "");
      }
      take(row.slice(from));
      return pieces;
    });
}

function withText(pieces: Piece[], text: string, begin: number, look: Look): number {
  let at = begin;
  for (const { segment } of segments.segment(text)) {
    const columns = widthOf(segment);
    const last = pieces.at(-1);
    const joins = last?.look === look && columns === 1 && last.columns === [...last.text].length;
    if (joins && last.at + last.columns === at) {
      last.text += segment;
      last.columns += 1;
    } else {
      pieces.push({ at, columns, text: segment, look });
    }
    at += columns;
  }
  return at;
}

const CODES: Readonly<Record<number, Partial<Look>>> = {
  0: PLAIN,
  1: { bold: true },
  7: { inverse: true },
  22: { bold: false },
  27: { inverse: false },
  39: { color: null },
};

/** The look after the codes of one SGR sequence, parts of a code apart by `;` or `:`. */
function styled(before: Look, codes: string): Look {
  const numbers = codes.split(/[;:]/).map(Number);
  let look = before;
  while (numbers.length > 0) {
    const code = numbers.shift() ?? 0;
    // `38;2;r;g;b`
    const color = code === 38 ? `#${numbers.splice(0, 4).slice(1).map(hex).join("")}` : undefined;
    look = { ...look, ...(color === undefined ? CODES[code] : { color }) };
  }
  return look;
}

function hex(value: number): string {
  return value.toString(16).padStart(2, "0");
}
