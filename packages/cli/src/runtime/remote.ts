import { LoopError } from "@ccw-loop/core";
import type { LocalLoops } from "@ccw-loop/orchestrator";
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
    const [{ loopClient }, { tokenFor }] = await Promise.all([
      import("@ccw-loop/api/client"),
      import("./remote-token.ts"),
    ]);
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
