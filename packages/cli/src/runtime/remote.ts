import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { errorText, isMissing, LoopError } from "@ccw-loop/core";
import type { LocalLoops } from "@ccw-loop/orchestrator";
import { userFile } from "../config/settings.ts";
import { commandsThat } from "../program/commands.ts";
import { lazyVerifier, type Parts } from "./compose.ts";
import type { Io } from "./io.ts";
import { once } from "./once.ts";

/** Where to find loops that are not files of the project, as it was said. */
export interface RemoteOptions {
  url?: string;
  tokenFile?: string;
  insecureHttp?: boolean;
  store?: string;
}

/** A control plane that stands in for the project's own files. */
export interface RemotePlace {
  url: string;
  tokenFile: string | undefined;
  insecureHttp: boolean;
}

/**
 * The control plane to ask; null for the project here. CCW_LOOP_URL is for the commands that can ask one, `--url` for
 * this very command: throws `invalid_input` where that cannot be.
 */
export function remoteOf(
  command: string,
  env: Io["env"],
  { url, tokenFile, insecureHttp = false, store }: RemoteOptions,
): RemotePlace | null {
  if (store !== undefined) {
    if (url === undefined) return null;
    const message = "--url and --store both say where the loops are. Leave one out.";
    throw new LoopError("invalid_input", message);
  }
  if (commandsThat("here").has(command)) {
    if (url === undefined) return null;
    throw new LoopError(
      "invalid_input",
      `${command} is not available over --url; run it on that machine.`,
    );
  }
  const said = url ?? env.CCW_LOOP_URL;
  return said === undefined || said === "" ? null : { url: said, tokenFile, insecureHttp };
}

/** The product as far as a control plane elsewhere gives it: its loops, and nothing of its machine. */
export function composeRemote(place: RemotePlace, io: Pick<Io, "env" | "cwd">): Parts {
  const { url, insecureHttp } = place;
  const notRemote = async (): Promise<never> => {
    throw new LoopError("invalid_input", "Not available over --url; run it on that machine.");
  };
  const loops = once(async (): Promise<LocalLoops> => {
    const { loopClient } = await import("@ccw-loop/api/client");
    const token = await tokenFor(place, io);
    return {
      ...loopClient({ url, token, insecureHttp }),
      ...{ supervise: notRemote, verifyReceipt: notRemote },
      ...{ archive: notRemote, restore: notRemote },
    };
  });
  return {
    loops,
    store: notRemote,
    workspace: notRemote,
    agent: notRemote,
    agents: async () => null,
    modules: notRemote,
    storeChoice: notRemote,
    stateFile: (id) => `${url.replace(/\/+$/, "")}/api/loops/v2/${id}`,
    verifier: lazyVerifier(notRemote),
    processes: notRemote,
    telemetry: async () => null,
    close: async () => undefined,
  };
}

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
