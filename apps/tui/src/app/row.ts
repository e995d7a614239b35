import { Text } from "ink";
import { createElement, memo } from "react";

/** One row of the terminal, painted. The same text costs nothing. */
export const Row = memo(({ text }: { text: string }) =>
  // Never wraps, whatever Ink takes its width for: a second line would push the frame down.
  createElement(Text, { wrap: "truncate-end" }, text === "" ? " " : text),
);
