import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { errorText, isMissing, LoopError } from "@ccw-loop/core";
import { userFile } from "../config/settings.ts";
import type { Io } from "./io.ts";

const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * The token for a control plane: of `--token-file`, else CCW_LOOP_TOKEN, else the one that `serve` keeps with the
 * user's settings. That last one opens the servers of this machine, so no other machine is ever told it.
 */
export async function tokenFor(
  { url, tokenFile }: { url: string; tokenFile: string | undefined },
  { env, cwd }: Pick<Io, "env" | "cwd">,
): Promise<string | undefined> {
  if (tokenFile !== undefined) return tokenIn(resolve(cwd, tokenFile));
  const { CCW_LOOP_TOKEN: given = "" } = env;
  if (given !== "") return checked(given, "CCW_LOOP_TOKEN");
  if (!LOOPBACK_HOST.test(URL.parse(url)?.hostname ?? "")) return undefined;
  return tokenIn(join(dirname(userFile(env)), "token"), { mayLack: true });
}

async function tokenIn(path: string, { mayLack = false } = {}): Promise<string | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    if (mayLack && isMissing(cause)) return undefined;
    const message = `The token file ${path} cannot be read: ${errorText(cause)}.`;
    throw new LoopError("invalid_input", message, { cause });
  }
  return checked(text, path);
}

/** Only what a header can carry: `where` may hold anything, and nothing of it is repeated. */
function checked(text: string, where: string): string {
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new LoopError(
    "invalid_input",
    `${where} holds no token: it has to be one line of visible characters.`,
  );
}
