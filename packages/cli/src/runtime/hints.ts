import { shellWord } from "@ccw-loop/core";
import { commandsAsTyped } from "@ccw-loop/view";
import { hasPassword } from "../extensions/store-choice.ts";
import { commandsThat } from "../program/commands.ts";
import type { Io } from "./io.ts";
import { commandInFolder } from "./program-call.ts";
import type { RemoteOptions } from "./remote.ts";

/** What was said for the whole program, and has to be said again with the next command. */
export interface PlaceOptions extends RemoteOptions {
  cwd?: string;
}

const LOCAL_WORDS = new Set([
  "--help",
  ...[...commandsThat("here")].map((name) => name.split(" ", 1)[0]),
]);

/**
 * Makes the commands in a text ready to be typed where this one was: by the name that this installation has there, in
 * the same folder, at the same control plane, with nothing behind it that is none of it. In CCW_LOOP_URL the address holds by itself.
 */
export function commandHints(
  io: Pick<Io, "caller">,
  options: PlaceOptions,
): (text: string) => string {
  const { url: _, ...local } = options;
  return (text) =>
    commandsAsTyped(text, (name) => commandPrefix(io, LOCAL_WORDS.has(name) ? local : options));
}

/** How a command begins that asks the same loops as this one: `npx ccw-loop --url http://…`. */
export function commandPrefix(
  { caller }: Pick<Io, "caller">,
  { cwd, store, url, tokenFile, insecureHttp }: PlaceOptions,
): string {
  return [
    caller === undefined ? "ccw-loop" : commandInFolder(caller),
    ...(cwd === undefined ? [] : ["--cwd", shellWord(cwd)]),
    ...(store === undefined || hasPassword(store) ? [] : ["--store", shellWord(store)]),
    ...(url === undefined ? [] : ["--url", shellWord(url)]),
    ...(url === undefined || tokenFile === undefined ? [] : ["--token-file", shellWord(tokenFile)]),
    ...(url !== undefined && insecureHttp ? ["--insecure-http"] : []),
  ].join(" ");
}
