import { tryParseJson } from "@ccw-loop/core";
import { bytesOf } from "../backups.ts";
import type { StoreContext } from "../context.ts";
import type { Runtime } from "../runtime.ts";
import { textOf } from "./disk.ts";

/** How long a program that writes a file in place, not by rename, gets to finish it. */
const PATIENCE_MS = 250;

/** Bytes that are a whole JSON text, or will not become one. */
export async function readUntilComplete(
  runtime: Runtime,
  read: () => Buffer,
): Promise<{ bytes: Buffer; text: string }> {
  const until = runtime.elapsed() + PATIENCE_MS;
  for (;;) {
    const bytes = read();
    const text = textOf(bytes);
    if (tryParseJson(text) !== undefined || runtime.elapsed() > until) return { bytes, text };
    await runtime.sleep(5);
  }
}

/** The same for what lies at a path; a file that nobody wrote to just now is not waited for. */
export async function readFileUntilComplete(
  { disk, runtime }: Pick<StoreContext, "disk" | "runtime">,
  path: string,
): Promise<{ bytes: Buffer; text: string }> {
  const age = runtime.wall() - (disk.info(path)?.modified ?? 0);
  if (age < PATIENCE_MS) return readUntilComplete(runtime, () => bytesOf(disk, path));
  const bytes = bytesOf(disk, path);
  return { bytes, text: textOf(bytes) };
}
