import { widthOf } from "@ccw-loop/view";

/** How a piece of a row looks. Colors as CSS knows them; null is the terminal's own. */
export interface Look {
  color: string | null;
  background: string | null;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  inverse: boolean;
}

/** Text of one look from column `at` on. A wide character is a piece of its own. */
export interface Piece {
  at: number;
  columns: number;
  text: string;
  look: Look;
}

const PLAIN: Look = {
  color: null,
  background: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false,
};

/** Eight colors and their bright ones. */
const SIXTEEN =
  "#484f58 #ff7b72 #3fb950 #d29922 #58a6ff #bc8cff #39c5cf #b1bac4 #6e7681 #ffa198 #56d364 #e3b341 #79c0ff #d2a8ff #56d4dd #f0f6fc".split(
    " ",
  );

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

/** The look after the codes of one SGR sequence, parts of a code apart by `;` or `:`. */
function styled(before: Look, codes: string): Look {
  const numbers = codes.split(/[;:]/).map(Number);
  let look = before;
  for (let i = 0; i < numbers.length; i += 1) {
    const code = numbers[i] ?? 0;
    if (code === 38 || code === 48) {
      const [color, used] = extended(numbers.slice(i + 1));
      look = { ...look, [code === 38 ? "color" : "background"]: color };
      i += used;
    } else {
      look = one(look, code);
    }
  }
  return look;
}

const FLAGS: Readonly<Record<number, Partial<Look>>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  39: { color: null },
  49: { background: null },
};

function one(look: Look, code: number): Look {
  if (code === 0) return PLAIN;
  const flag = FLAGS[code];
  if (flag) return { ...look, ...flag };
  const [base, bright] = [code % 10, code >= 90 ? 8 : 0];
  const ground = Math.floor(code / 10) % 10;
  if (base > 7 || ![3, 4, 9, 0].includes(ground) || code < 30) return look;
  const color = SIXTEEN[base + bright] ?? null;
  return ground === 4 || ground === 0 ? { ...look, background: color } : { ...look, color };
}

/** `5;n` of 256, or `2;r;g;b`; with the count of numbers that it takes. */
function extended([kind, ...rest]: number[]): [color: string | null, used: number] {
  if (kind === 2) return [`#${rest.slice(0, 3).map(hex).join("")}`, 4];
  if (kind === 5) return [indexed(rest[0] ?? 0), 2];
  return [null, 1];
}

function indexed(n: number): string {
  if (n < 16) return SIXTEEN[n] ?? "#000000";
  if (n >= 232) return `#${hex(8 + (n - 232) * 10).repeat(3)}`;
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const [r, g, b] = [Math.floor((n - 16) / 36), Math.floor((n - 16) / 6) % 6, (n - 16) % 6];
  return `#${[r, g, b].map((step) => hex(level(step))).join("")}`;
}

function hex(value: number): string {
  return value.toString(16).padStart(2, "0");
}
