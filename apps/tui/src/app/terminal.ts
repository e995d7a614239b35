import { LoopError } from "@ccw-loop/core";
import type { Size } from "../frame/line.ts";

/** The streams of a terminal; a test gives its own. */
export interface Terminal {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean | undefined };
  stdout: NodeJS.WritableStream & {
    isTTY?: boolean | undefined;
    columns?: number | undefined;
    rows?: number | undefined;
  };
  stderr: NodeJS.WritableStream;
}

/** Throws `invalid_input` where there is nobody to look and to press keys. */
export function requireTerminal(
  { stdin, stdout }: Pick<Terminal, "stdin" | "stdout">,
  { plain, term }: { plain: boolean; term: string | undefined },
): void {
  if (stdin.isTTY !== true || stdout.isTTY !== true) {
    throw new LoopError(
      "invalid_input",
      "The terminal interface needs a terminal for its keys and its output. " +
        "In scripts use the commands: ccw-loop list, ccw-loop watch ID --events.",
    );
  }
  if (!plain && term === "dumb") {
    throw new LoopError(
      "invalid_input",
      "This terminal (TERM=dumb) shows lines only. Ask for lines: ccw-loop tui --plain",
    );
  }
}

export function sizeOf({ columns, rows }: Terminal["stdout"]): Size {
  return { columns: columns || 80, rows: rows || 24 };
}
