import { ipBytesOf, isLoopback, parseHost } from "./hosts.ts";

/** A bucket of `burst` requests that fills again by `perSecond`. */
export interface Rate {
  perSecond: number;
  burst: number;
}

/** Clients that are remembered; who was quiet the longest is forgotten first. */
const MOST_CLIENTS = 4_096;

/** Counts one request of a client; 0 when it may go on, else the whole seconds until the next one may. */
export function rateLimit({ perSecond, burst }: Rate): (client: string) => number {
  const buckets = new Map<string, { left: number; at: number }>();
  return (client) => {
    const now = performance.now();
    const { left, at } = buckets.get(client) ?? { left: burst, at: now };
    const filled = Math.min(burst, left + ((now - at) / 1000) * perSecond);
    const allowed = filled >= 1;
    buckets.delete(client);
    buckets.set(client, { left: allowed ? filled - 1 : filled, at: now });
    const [quietest] = buckets.keys();
    if (buckets.size > MOST_CLIENTS && quietest !== undefined) buckets.delete(quietest);
    return allowed ? 0 : Math.ceil((1 - filled) / perSecond);
  };
}

/**
 * Whom to count a request for: the peer's address, of IPv6 the network of 64 bits that one customer gets. Undefined
 * for peers of this machine: a proxy stands there for all of its clients, and who can open a local connection can do
 * worse. `X-Forwarded-For` is never believed: everybody can write it.
 */
export function clientOf(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  const host = parseHost(address.includes(":") ? `[${address.replace(/%.*/, "")}]` : address);
  if (host === undefined) return address;
  if (isLoopback(host.name)) return undefined;
  return ipBytesOf(host.name)?.slice(0, 8).join(".") ?? address;
}
