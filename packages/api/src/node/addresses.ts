import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { LoopError } from "@ccw-loop/core";
import { ipBytesOf, isLoopback, isWildcard, parseHost } from "../guard/hosts.ts";

/** An address as it stands in a URL. */
export function inUrl(host: string): string {
  return isIP(host) === 6 ? (parseHost(`[${host}]`)?.name ?? `[${host}]`) : host;
}

/** How this machine reaches a server that listens there; the wildcards are no address to ask for. */
export function reachedAt(host: string): string {
  const name = inUrl(host);
  if (!isWildcard(name)) return name;
  return ipBytesOf(name)?.length === 4 ? "127.0.0.1" : "[::1]";
}

/** An address that was chosen to listen at is a host to be asked for; no name server leads it elsewhere. */
export function ownHosts(host: string): string[] {
  const name = inUrl(host);
  return isIP(host) === 0 || isWildcard(name) ? [] : [name];
}

/** Whether only this machine reaches a server there: every address of the name is a loopback one. */
export async function isPrivate(host: string): Promise<boolean> {
  const found = await lookup(host, { all: true }).catch((error: unknown) => {
    throw new LoopError(
      "invalid_input",
      `There is no address for the host ${host}. Choose another one with --host ADDRESS.`,
      { cause: error },
    );
  });
  return found.every(({ address }) => isLoopback(parseHost(inUrl(address))?.name ?? ""));
}

/** Refuses to speak in the clear where others can listen. Throws `invalid_input`. */
export async function requirePrivate(host: string): Promise<void> {
  if (await isPrivate(host)) return;
  throw new LoopError(
    "invalid_input",
    `${host} can be reached from other machines, and everything sent there, the token too, could be read on its way. ` +
      "Listen on 127.0.0.1 behind a reverse proxy that speaks TLS, give a certificate (--tls-cert, --tls-key; in a program " +
      "`tls`), or say --public (`publicly`) when the network itself is trusted.",
  );
}
