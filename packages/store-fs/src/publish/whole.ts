import { jsonOf } from "../commits/lines.ts";
import { textOf } from "../disk/text.ts";
import type { Machine } from "../machine.ts";

/** How long a program that writes a file in place, not by rename, gets to finish it. */
const PATIENCE_MS = 250;

/** Bytes that are a whole JSON text, or will not become one. */
export async function whole(
  machine: Machine,
  read: () => Buffer,
): Promise<{ bytes: Buffer; text: string }> {
  const until = machine.elapsed() + PATIENCE_MS;
  for (;;) {
    const bytes = read();
    const text = textOf(bytes);
    if (jsonOf(text) !== undefined || machine.elapsed() > until) return { bytes, text };
    await machine.sleep(5);
  }
}
