/** How long a ticket is good, and how many may wait for their use. */
const LIFE_MS = 30_000;
const MOST = 1_000;

export interface Ticket {
  ticket: string;
  /** RFC 3339 UTC. */
  expires_at: string;
}

/**
 * Stand-ins for the token where a client can send no header: `EventSource` and `WebSocket` of a browser. A ticket is
 * in a URL, which proxies and histories keep, so it is good for one use within half a minute.
 */
export interface Tickets {
  /** Undefined while too many wait for their use; `retryAfter` seconds later there is room. */
  issue(): Ticket | undefined;
  /** Whether the ticket is good; it is not any more after that. */
  redeem(ticket: string): boolean;
  readonly retryAfter: number;
}

export function createTickets(): Tickets {
  /** When each ends, in the order in which they end. */
  const ends = new Map<string, number>();
  const forgetOld = (now: number) => {
    for (const [ticket, end] of ends) {
      if (end > now) return;
      ends.delete(ticket);
    }
  };
  return {
    retryAfter: LIFE_MS / 1000,
    issue() {
      const now = performance.now();
      forgetOld(now);
      if (ends.size >= MOST) return undefined;
      const ticket = randomText();
      ends.set(ticket, now + LIFE_MS);
      return { ticket, expires_at: new Date(Date.now() + LIFE_MS).toISOString() };
    },
    redeem(ticket) {
      forgetOld(performance.now());
      return ends.delete(ticket);
    },
  };
}

/** 256 random bits as hexadecimal digits. */
function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
