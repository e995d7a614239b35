import { LoopError } from "@ccw-loop/core";
import type { Io } from "../io.ts";

/** Where to find the loops of another place, as it was said. */
export interface RemoteOptions {
  url?: string;
  tokenFile?: string;
  insecureHttp?: boolean;
}

/** A control plane that stands in for the project's own files. */
export interface RemotePlace {
  url: string;
  tokenFile: string | undefined;
  insecureHttp: boolean;
}

/** What is about this machine, its files or this tool itself. */
export const LOCAL_COMMANDS: ReadonlySet<string> = new Set([
  ...["serve", "supervise", "demo", "doctor", "config show", "completion", "receipt"],
]);

/**
 * The control plane to ask; null for the project here. CCW_LOOP_URL is for the commands that can ask one, `--url` for
 * this very command: throws `invalid_input` where that cannot be.
 */
export function remoteOf(
  command: string,
  env: Io["env"],
  { url, tokenFile, insecureHttp = false }: RemoteOptions,
): RemotePlace | null {
  if (LOCAL_COMMANDS.has(command)) {
    if (url === undefined) return null;
    throw new LoopError(
      "invalid_input",
      `${command} is about this machine and cannot be asked of ${url}. Leave --url out, or call it there.`,
    );
  }
  const said = url ?? env.CCW_LOOP_URL;
  return said === undefined || said === "" ? null : { url: said, tokenFile, insecureHttp };
}
