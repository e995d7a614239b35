import type { Tone } from "@ccw-loop/view";
import chalk, { type ChalkInstance } from "chalk";
import type { Line, Span } from "../components/line.ts";

// What a terminal can show is said by the theme, so that no detection of a library decides; Ink paints with the same chalk.
chalk.level = 3;

/** How a text looks, as properties of Ink's `Text`. */
export interface Look {
  color?: string;
  bold?: boolean;
  dimColor?: boolean;
}

export type Theme = Readonly<Record<Tone, Look>>;

export type Background = "dark" | "light";

export const TONES = [
  ...["plain", "strong", "quiet", "good", "bad", "warning", "name"],
] as const satisfies readonly Tone[];

/** The sixteen colors that every terminal has, as Ink calls them. */
export const COLOR_NAMES = [
  ...["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"],
  ...["blackBright", "redBright", "greenBright", "yellowBright"],
  ...["blueBright", "magentaBright", "cyanBright", "whiteBright"],
] as const;

/** Colors of a person's own, by tone: a name of `COLOR_NAMES`, or `#rrggbb` where the terminal has all colors. */
export type Colors = Readonly<Partial<Record<Tone, string>>>;

const BOLD: Look = { bold: true };
const DIM: Look = { dimColor: true };

const BARE: Theme = { plain: {}, strong: {}, quiet: {}, good: {}, bad: {}, warning: {}, name: {} };

/** Weight alone, where colors are not wanted. */
const NONE: Theme = { ...BARE, strong: BOLD, quiet: DIM, bad: BOLD, warning: BOLD };

const SIXTEEN: Readonly<Record<Background, Theme>> = {
  dark: colored({ good: "green", bad: "redBright", warning: "yellow", name: "cyan" }),
  // Yellow is not readable on white.
  light: colored({ good: "green", bad: "red", warning: "magenta", name: "blue" }),
};

/** Of at least 4.5:1 on black, and on white. */
const TRUE: Readonly<Record<Background, Theme>> = {
  dark: colored({
    quiet: "#8a8f98",
    good: "#7bc86c",
    bad: "#ff7b72",
    warning: "#e3b341",
    name: "#6cb6ff",
  }),
  light: colored({
    quiet: "#656d76",
    good: "#1a7f37",
    bad: "#cf222e",
    warning: "#8a5a00",
    name: "#0550ae",
  }),
};

/** A color for each tone; what has none is dim or bold. */
function colored(colors: Colors, theme: Theme = { ...BARE, strong: BOLD, quiet: DIM }): Theme {
  const looks = Object.entries(colors).map(([tone, color]) => [tone, { color }]);
  return { ...theme, ...Object.fromEntries(looks) };
}

export interface ThemeWish {
  /** Asked for on the command line or in the configuration. */
  background?: Background | undefined;
  colors?: Colors;
  /** False for `--no-color`. */
  color: boolean;
  env: Readonly<Record<string, string | undefined>>;
  /** For lines: without colors they have no codes at all. */
  plain: boolean;
}

/** The looks for this terminal, as far as its variables tell. */
export function themeFor({ background, colors = {}, color: wanted, env, plain }: ThemeWish): Theme {
  if (!wanted || (env.NO_COLOR ?? "") !== "" || env.TERM === "dumb") return plain ? BARE : NONE;
  const ground = background ?? backgroundOf(env.COLORFGBG) ?? "dark";
  if (/^(truecolor|24bit)$/i.test(env.COLORTERM ?? "")) return colored(colors, TRUE[ground]);
  const named = Object.entries(colors).filter(([, color]) => !color.startsWith("#"));
  return colored(Object.fromEntries(named), SIXTEEN[ground]);
}

/** `15;0`: the number behind the last semicolon is the color of the background. */
function backgroundOf(text: string | undefined): Background | undefined {
  const [, last] = /;(\d+)$/.exec(text ?? "") ?? [];
  if (last === undefined) return undefined;
  return last === "7" || Number(last) > 8 ? "light" : "dark";
}

/** A line with the codes that show it, for what is written without Ink. */
export function painted(of: Line, theme: Theme): string {
  return of.map((span) => paintedSpan(span, theme)).join("");
}

function paintedSpan({ tone, text }: Span, theme: Theme): string {
  const { color, bold, dimColor } = theme[tone];
  let paint: ChalkInstance = chalk;
  if (color?.startsWith("#")) paint = paint.hex(color);
  else if (color !== undefined) paint = paint[color as "green"];
  if (bold) paint = paint.bold;
  if (dimColor) paint = paint.dim;
  return paint(text);
}
