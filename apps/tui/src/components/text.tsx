import type { Tone } from "@ccw-loop/view";
import { Text as InkText } from "ink";
import { Children, createContext, memo, type ReactNode, use } from "react";
import type { Theme } from "../app/theme.ts";
import { inert, type Line, lineWidth } from "./line.ts";

/** The looks of all tones. */
export const ThemeContext = createContext<Theme>({
  plain: {},
  strong: {},
  quiet: {},
  good: {},
  bad: {},
  warning: {},
  name: {},
});

interface TextProps {
  tone?: Tone;
  /** The other way round: what is selected, the cursor of a field. */
  inverse?: boolean;
  /** What becomes of a text that is too long; it is cut by default. */
  wrap?: "wrap" | "truncate-end" | "truncate-start";
  children?: ReactNode;
}

/**
 * Text in one look. The only one that screens use: Ink's own would let the control sequences of agents and tests pass.
 */
export function Text({
  tone = "plain",
  inverse = false,
  wrap = "truncate-end",
  children,
}: TextProps) {
  const look = use(ThemeContext)[tone];
  const harmless = Children.map(children, (child) =>
    typeof child === "string" ? inert(child, wrap === "wrap") : child,
  );
  return (
    <InkText {...look} inverse={inverse} wrap={wrap}>
      {harmless}
    </InkText>
  );
}

interface TextLineProps {
  of: Line;
  /** Fills so many columns, and is shown the other way round as a whole: a patchwork of colors is hard to read. */
  selected?: number | undefined;
}

/** One row, cut where it is too long. */
export const TextLine = memo(({ of, selected }: TextLineProps) => {
  if (selected !== undefined) {
    const text = of.map((span) => span.text).join("");
    return <Text inverse>{text + " ".repeat(Math.max(0, selected - lineWidth(of)))}</Text>;
  }
  if (of.every(({ text }) => text === "")) return <Text> </Text>;
  return (
    <Text>
      {of.map(({ tone, text, inverse = false }, i) => (
        <Text key={i} tone={tone} inverse={inverse}>
          {text}
        </Text>
      ))}
    </Text>
  );
});

/** Rows below each other. */
export function TextLines({ of }: { of: readonly Line[] }) {
  return of.map((row, i) => <TextLine key={i} of={row} />);
}
