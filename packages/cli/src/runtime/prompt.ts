import { createInterface } from "node:readline/promises";
import type { Io } from "./io.ts";

/** Whether there is a person to ask. */
export function canAsk(io: Io): boolean {
  return io.stdin.isTTY === true && io.stderr.isTTY === true;
}

/** What a person typed; or why there is no answer: Ctrl-C, the end of input, or `signal`. */
export type Reply = { text: string } | { text: null; why: "interrupted" | "closed" | "aborted" };

/** Asks one question on the terminal (on stderr: stdout is for data). Never rejects. */
export async function ask(io: Io, question: string, signal: AbortSignal): Promise<Reply> {
  if (signal.aborted) return { text: null, why: "aborted" };
  const lines = createInterface({ input: io.stdin, output: io.stderr, terminal: true });
  try {
    return await new Promise<Reply>((resolve) => {
      lines.once("SIGINT", () => resolve({ text: null, why: "interrupted" }));
      lines.once("close", () => resolve({ text: null, why: "closed" }));
      signal.addEventListener("abort", () => resolve({ text: null, why: "aborted" }), {
        once: true,
      });
      lines.question(question).then(
        (text) => resolve({ text }),
        () => resolve({ text: null, why: "closed" }),
      );
    });
  } finally {
    lines.close();
  }
}

/** Yes or no; anything but a clear yes is a no. */
export async function confirm(io: Io, question: string): Promise<boolean> {
  const reply = await ask(io, `${question} [y/N] `, new AbortController().signal);
  return /^y(es)?$/i.test(reply.text?.trim() ?? "");
}
