import { LoopError } from "@ccw-loop/core";
/** The name and the port that a `Host` header or an address names; undefined for what is none. */
export interface HostName {
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

const MAPPED_LOOPBACK = /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/;

/** Names that no name server can lead elsewhere: `localhost` and the addresses of the machine itself. */
export function isLoopback(name: string): boolean {
  return (
    name === "localhost" ||
    name === "[::1]" ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name) ||
    MAPPED_LOOPBACK.test(name)
  );
}

/**
 * Whether a request may name this host. A page of `evil.example` whose name was led to this machine (DNS rebinding)
 * sends its own name, so it is refused whatever it asks for.
 */
export function hostRule(hosts: readonly string[]): (host: string) => boolean {
  const allowed = hosts.map((text) => {
    const host = parseHost(text);
    if (host === undefined)
      throw new LoopError("invalid_input", `${text} is no host: use NAME or NAME:PORT.`);
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
