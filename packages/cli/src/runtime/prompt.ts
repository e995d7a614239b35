import { createInterface } from "node:readline/promises";
import type { Io } from "./io.ts";

/** Whether there is a person to ask. */
export function canAsk(io: Io): boolean {
  return io.stdin.isTTY === true && io.stderr.isTTY === true;
}

/** What a person answered, or why there is no answer. */
export type Answered<T> = { value: T; why: null } | { value: null; why: NoAnswer };
/** Ctrl-C, the end of input, or a signal. */
export type NoAnswer = "interrupted" | "closed" | "aborted";

/** Asks one question on the terminal (on stderr: stdout is for data). Never rejects. */
export async function ask(
  io: Io,
  question: string,
  signal: AbortSignal,
): Promise<Answered<string>> {
  const none = (why: NoAnswer) => ({ value: null, why });
  if (signal.aborted) return none("aborted");
  const lines = createInterface({ input: io.stdin, output: io.stderr, terminal: true });
  try {
    return await new Promise<Answered<string>>((resolve) => {
      lines.once("SIGINT", () => resolve(none("interrupted")));
      lines.once("close", () => resolve(none("closed")));
      signal.addEventListener("abort", () => resolve(none("aborted")), { once: true });
      lines.question(question).then(
        (value) => resolve({ value, why: null }),
        () => resolve(none("closed")),
      );
    });
  } finally {
    lines.close();
  }
}

/** Yes or no; anything but a clear yes is a no. */
export async function confirm(io: Io, question: string): Promise<boolean> {
  const reply = await ask(io, `${question} [y/N] `, new AbortController().signal);
  return /^y(es)?$/i.test(reply.value?.trim() ?? "");
}
