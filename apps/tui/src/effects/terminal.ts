import { LoopError } from "@ccw-loop/core";
import type { Size } from "../components/line.ts";

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

/** Terminals drop what is longer without a word. */
const LONGEST = 74_994;

/**
 * The sequence that asks a terminal to put a text on its clipboard (OSC 52), over ssh too. tmux takes it for itself or
 * hands it on, as it is set up, so it is given both. Throws `invalid_input` for what is too long.
 */
export function clipboardSequence(text: string, env: { TMUX?: string | undefined }): string {
  const data = Buffer.from(text).toString("base64");
  if (data.length > LONGEST) {
    throw new LoopError(
      "invalid_input",
      "That is too much for the clipboard of a terminal. Save it to a file instead.",
    );
  }
  const sequence = `\u001B]52;c;${data}\u0007`;
  if ((env.TMUX ?? "") === "") return sequence;
  return `${sequence}\u001BPtmux;${sequence.replaceAll("\u001B", "\u001B\u001B")}\u001B\\`;
}
