import { shellWord } from "@ccw-loop/core";
import type { Io } from "./io.ts";
import { callHere } from "./program-call.ts";
import { LOCAL, type RemoteOptions } from "./remote/remote-of.ts";

/** What was said for the whole program, and has to be said again with the next command. */
export interface SaidOptions extends RemoteOptions {
  cwd?: string;
}

/** A command that is recommended: by itself, behind the colon of a sentence, or behind another one. No synopsis. */
const COMMAND = /(?<=^|(?<!Usage): |&& |\n)ccw-loop (?=([a-z]+|--help))/g;
const ABOUT_HERE = new Set(["--help", ...[...LOCAL].map((name) => name.split(" ", 1)[0])]);

/**
 * Makes the commands in a text ready to be typed where this one was: by the name that this installation has there, in
 * the same folder, at the same control plane. In CCW_LOOP_URL the address holds by itself.
 */
export function hinting(io: Pick<Io, "caller">, options: SaidOptions): (text: string) => string {
  const { url: _, ...local } = options;
  return (text) =>
    text.replaceAll(
      COMMAND,
      (_, name: string) => `${programAs(io, ABOUT_HERE.has(name) ? local : options)} `,
    );
}

/** How a command begins that asks the same loops as this one: `npx ccw-loop --url http://…`. */
export function programAs(
  { caller }: Pick<Io, "caller">,
  { cwd, url, tokenFile, insecureHttp }: SaidOptions,
): string {
  return [
    caller === undefined ? "ccw-loop" : callHere(caller),
    ...(cwd === undefined ? [] : ["--cwd", shellWord(cwd)]),
    ...(url === undefined ? [] : ["--url", shellWord(url)]),
    ...(url === undefined || tokenFile === undefined ? [] : ["--token-file", shellWord(tokenFile)]),
    ...(url !== undefined && insecureHttp ? ["--insecure-http"] : []),
  ].join(" ");
}
