import { badOption } from "../app/options.ts";

/** The name and the port that a `Host` header or an address names; undefined for what is none. */
interface HostName {
  /** As browsers write it: lower case, addresses in their shortest form, IPv6 in brackets. */
  name: string;
  port: string | undefined;
}

const HOST = /^(\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::(\d{1,5}))?$/;

export function parseHost(text: string): HostName | undefined {
  const [, written, port] = HOST.exec(text) ?? [];
  if (written === undefined) return undefined;
  const url = URL.parse(`http://${written}/`);
  return url === null ? undefined : { name: url.hostname, port };
}

/** How an address of IPv4 begins where it is written as one of IPv6 (`::ffff:127.0.0.1`). */
const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255];

/**
 * The 4 or 16 bytes of an address that `parseHost` read, however it was written: those of IPv4 are 4 also where they
 * are mapped into IPv6. Undefined for a name.
 */
export function ipBytesOf(name: string): readonly number[] | undefined {
  if (!name.startsWith("[")) {
    const bytes = name.split(".").map((part) => (/^\d{1,3}$/.test(part) ? Number(part) : 256));
    return bytes.length === 4 && bytes.every((byte) => byte < 256) ? bytes : undefined;
  }
  const [head = "", tail] = name.slice(1, -1).split("::");
  const first = groupsOf(head);
  const last = groupsOf(tail ?? "");
  const zeros = Array<number>(tail === undefined ? 0 : 8 - first.length - last.length).fill(0);
  const bytes = [...first, ...zeros, ...last].flatMap((group) => [group >> 8, group & 255]);
  return MAPPED.every((byte, at) => bytes[at] === byte) ? bytes.slice(MAPPED.length) : bytes;
}

function groupsOf(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

/** Names that no name server can lead elsewhere: `localhost` and the addresses of the machine itself. */
export function isLoopback(name: string): boolean {
  const bytes = ipBytesOf(name);
  if (bytes?.length === 4) return bytes[0] === 127;
  return name === "localhost" || bytes?.every((byte, at) => byte === (at === 15 ? 1 : 0)) === true;
}

/** The address that stands for all of a machine, to listen at: `0.0.0.0`, `::`. */
export function isWildcard(name: string): boolean {
  return ipBytesOf(name)?.every((byte) => byte === 0) === true;
}

/**
 * Whether a request may name this host. A page of `evil.example` whose name was led to this machine (DNS rebinding)
 * sends its own name, so it is refused whatever it asks for.
 */
export function hostRule(hosts: readonly string[]): (host: string) => boolean {
  const allowed = hosts.map((text) => {
    const host = parseHost(text);
    if (host === undefined) throw badOption(`${text} is no host: use NAME or NAME:PORT.`);
    return host;
  });
  return (text) => {
    const host = parseHost(text);
    if (host === undefined) return false;
    if (isLoopback(host.name)) return true;
    return allowed.some(
      ({ name, port }) => name === host.name && (port === undefined || port === host.port),
    );
  };
}
