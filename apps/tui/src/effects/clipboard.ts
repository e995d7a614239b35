import { LoopError } from "@ccw-loop/core";

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
