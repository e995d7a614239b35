import type { Server } from "@ccw-loop/api/node";
import { shellWord } from "@ccw-loop/core";
import type { Tone } from "@ccw-loop/view";

interface Told {
  projects: readonly { name: string; root: string }[];
  socket?: string | undefined;
  publicly: boolean;
  /** Host names that were allowed beside the loopback ones. */
  hosts: readonly string[];
  /** The token is in a file that was named for it. */
  ownFile: boolean;
}

/**
 * What a person needs to use a server that begins to listen. The token itself is never shown, and a `ticket` only to a
 * terminal: whoever reads a log could use it.
 */
export function listeningLines(
  { url, tokenFile = "" }: Server,
  ticket: string | undefined,
  { projects, socket, publicly, hosts, ownFile }: Told,
): [Tone, string][] {
  const file = shellWord(tokenFile);
  const lines: [Tone, string][] = [["good", `Listening at ${socket ?? url}`]];
  for (const { name, root } of projects) {
    const at = projects.length > 1 ? ` at ${url}/projects/${name}` : "";
    lines.push(["plain", `Serving the loops of ${root}${at}`]);
  }
  lines.push(["plain", `The token is in ${tokenFile}`]);
  if (socket !== undefined) {
    // Through a pipe: arguments of a program can be seen by everybody on the machine.
    const header = `printf 'Authorization: Bearer %s\\n' "$(cat ${file})"`;
    const curl = `curl --unix-socket ${shellWord(socket)} -H @- ${url}/api/loops/v2`;
    return [...lines, ["plain", `List the loops with: ${header} | ${curl}`]];
  }
  const token = ownFile ? ` --token-file ${file}` : "";
  lines.push(["plain", `List the loops with: ccw-loop list --url ${url}${token}`]);
  if (ticket !== undefined) {
    const stream = `${url}/api/events?ticket=${ticket}`;
    lines.push(["plain", `Watch them, within 30 s and once: curl -N '${stream}'`]);
  }
  if (publicly) lines.push(["warning", IN_THE_CLEAR]);
  if (publicly && hosts.length === 0) lines.push(["warning", ONLY_LOCALHOST]);
  return lines;
}

const IN_THE_CLEAR =
  "Everything is sent in the clear, the token too: put a reverse proxy that speaks TLS in front, or trust the network.";
const ONLY_LOCALHOST =
  "Clients that call it by another name than localhost are refused; allow the name with --allow-host.";
