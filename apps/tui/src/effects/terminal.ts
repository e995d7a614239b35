import { LoopError } from "@ccw-loop/core";
import type { Size } from "../components/line.ts";
import { type Mouse, MouseReports } from "../keys/mouse.ts";

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
        "In scripts use the commands: ccw-loop list && ccw-loop watch @last --events",
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

/** The same input without the reports of the mouse, which Ink would drop; they are given to `pointed`. */
export function withMouse<S extends Terminal["stdin"]>(
  stdin: S,
  pointed: (report: Mouse) => void,
): S {
  const mouse = new MouseReports();
  const read = (): string | Buffer | null => {
    const piece = stdin.read();
    if (piece === null) return null;
    const { text, reports } = mouse.taken(piece.toString());
    for (const report of reports) pointed(report);
    return text;
  };
  return new Proxy(stdin, {
    get(target, name) {
      if (name === "read") return read;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
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
