import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createSecureContext } from "node:tls";
import { errorText, LoopError } from "@ccw-loop/core";

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
    throw new LoopError(
      "invalid_input",
      `${certFile} and ${keyFile} are no certificate and its key in PEM: ${errorText(cause)}.`,
      { cause },
    );
  }
  return { cert, key };
}

/** Why clients will refuse the certificate now, although the server can speak with it; null when they need not. */
export function tlsWarning(certFile: string, { cert }: Tls, now: Date): string | null {
  const { validFromDate: from, validToDate: to } = new X509Certificate(cert);
  if (from <= now && now <= to) return null;
  const when = now > to ? `ended at ${to.toISOString()}` : `begins at ${from.toISOString()}`;
  return `The certificate ${certFile} ${when}, so clients refuse it. Put a valid one there, and start again.`;
}

async function textOf(cwd: string, file: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(resolve(cwd, file), "utf8");
  } catch (cause) {
    throw new LoopError("invalid_input", `${file} cannot be read: ${errorText(cause)}.`, { cause });
  }
  // Node takes an empty text for none, and would listen without being able to speak.
  if (text.trim() !== "") return text;
  throw new LoopError("invalid_input", `${file} is empty. Name the PEM file that belongs there.`);
}
