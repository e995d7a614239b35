import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createSecureContext } from "node:tls";
import { LoopError } from "@ccw-loop/core";

/** PEM texts. */
export interface Tls {
  cert: string;
  key: string;
}

/** The certificate and the key of two files. Throws `invalid_input` unless they belong together. */
export async function tlsFrom(cwd: string, certFile: string, keyFile: string): Promise<Tls> {
  const [cert, key] = await Promise.all([textOf(cwd, certFile), textOf(cwd, keyFile)]);
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new LoopError(
      "invalid_input",
      `${certFile} and ${keyFile} are no certificate and its key in PEM: ${reason}.`,
      { cause },
    );
  }
  return { cert, key };
}

async function textOf(cwd: string, file: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, file), "utf8");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new LoopError("invalid_input", `${file} cannot be read: ${reason}.`, { cause });
  }
}
