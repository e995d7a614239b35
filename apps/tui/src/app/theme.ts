import type { Tone } from "@ccw-loop/view";
import type { Line, Span } from "../components/line.ts";

/** How each tone begins and ends, as codes of SGR. */
export type Theme = Readonly<Record<Tone, readonly (readonly [on: string, off: string])[]>>;

export type Background = "dark" | "light";

const BOLD = ["1", "22"] as const;
const DIM = ["2", "22"] as const;

const BARE: Theme = { plain: [], strong: [], quiet: [], good: [], bad: [], warning: [], name: [] };

/** Weight alone, where colors are not wanted. */
const NONE: Theme = { ...BARE, strong: [BOLD], quiet: [DIM], bad: [BOLD], warning: [BOLD] };

const SIXTEEN: Readonly<Record<Background, Theme>> = {
  dark: colored({ good: "32", bad: "91", warning: "33", name: "36" }),
  // Yellow is not readable on white.
  light: colored({ good: "32", bad: "31", warning: "35", name: "34" }),
};

/** Of at least 4.5:1 on black, and on white. */
const TRUE: Readonly<Record<Background, Theme>> = {
  dark: colored({
    quiet: rgb("8a8f98"),
    good: rgb("7bc86c"),
    bad: rgb("ff7b72"),
    warning: rgb("e3b341"),
    name: rgb("6cb6ff"),
  }),
  light: colored({
    quiet: rgb("656d76"),
    good: rgb("1a7f37"),
    bad: rgb("cf222e"),
    warning: rgb("8a5a00"),
    name: rgb("0550ae"),
  }),
};

/** The codes of a color by its tone; what has none is dim or bold. */
function colored(codes: Partial<Record<Tone, string>>): Theme {
  const colors = Object.entries(codes).map(([tone, code]) => [tone, [[code, "39"]]]);
  return { ...BARE, strong: [BOLD], quiet: [DIM], ...Object.fromEntries(colors) };
}

function rgb(hex: string): string {
  const [r, g, b] = [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  return `38;2;${r};${g};${b}`;
}

export interface ThemeWish {
  /** Asked for on the command line or in the configuration. */
  background?: Background | undefined;
  /** False for `--no-color`. */
  color: boolean;
  env: Readonly<Record<string, string | undefined>>;
  /** For lines: without colors they have no codes at all. */
  plain: boolean;
}

/** The codes for this terminal, as far as its variables tell. */
export function themeFor({ background, color: wanted, env, plain }: ThemeWish): Theme {
  if (!wanted || (env.NO_COLOR ?? "") !== "" || env.TERM === "dumb") return plain ? BARE : NONE;
  const ground = background ?? backgroundOf(env.COLORFGBG) ?? "dark";
  return /^(truecolor|24bit)$/i.test(env.COLORTERM ?? "") ? TRUE[ground] : SIXTEEN[ground];
}

/** `15;0`: the number behind the last semicolon is the color of the background. */
function backgroundOf(text: string | undefined): Background | undefined {
  const [, last] = /;(\d+)$/.exec(text ?? "") ?? [];
  if (last === undefined) return undefined;
  return last === "7" || Number(last) > 8 ? "light" : "dark";
}

/** A line with the codes that show it, and without any that would outlast it. */
export function painted(of: Line, theme: Theme): string {
  return of.map((span) => paintedSpan(span, theme)).join("");
}

function paintedSpan({ tone, text, inverse }: Span, theme: Theme): string {
  if (text === "") return "";
  const codes = inverse ? [...theme[tone], ["7", "27"] as const] : theme[tone];
  const on = codes.map(([code]) => `\u001B[${code}m`).join("");
  const off = codes
    .toReversed()
    .map(([, code]) => `\u001B[${code}m`)
    .join("");
  return `${on}${text}${off}`;
}
