import type { Context } from "hono";
import { HttpError } from "../app/answers.ts";
import { hasTokenInQuery, isTicketEndpoint, takesTicket } from "./doors.ts";
import { type Rate, rateLimit } from "./rate.ts";
import { createTickets } from "./tickets.ts";
import { tokenRule } from "./token.ts";

/** Answers to wrong tokens, per client. Who has the right one is never counted, so nobody can lock others out. */
const FAILURES: Rate = { perSecond: 1, burst: 20 };

/** Who may ask: holders of the token, and of a ticket that was given for it. */
export interface TokenAccess {
  /** Throws `unauthorized`, one answer for every kind of wrong, or `too_many_requests` once there were many. */
  requireCredentials(c: Context, path: string, client: string | undefined): Promise<void>;
  /** The answer of `POST /api/tickets`; undefined for other paths. */
  ticketAnswer(c: Context, path: string): Response | undefined;
}

export function tokenAccess(token: string): TokenAccess {
  const isToken = tokenRule(token);
  const tickets = createTickets();
  const tooManyFailures = rateLimit(FAILURES);
  const isKnown = async (c: Context, path: string) => {
    const query = new URL(c.req.url).searchParams;
    if (hasTokenInQuery(query)) return false;
    if (await isToken(c.req.header("authorization"))) return true;
    const ticket = query.get("ticket");
    return ticket !== null && takesTicket(c.req.method, path) && tickets.redeem(ticket);
  };
  return {
    async requireCredentials(c, path, client = "") {
      if (await isKnown(c, path)) return;
      const wait = tooManyFailures(client);
      if (wait > 0) throw retryLater("There were too many requests without the right token.", wait);
      throw new HttpError(
        401,
        "unauthorized",
        "This needs the server's token in the header `Authorization: Bearer …`; event streams take a ticket of `POST /api/tickets` as well.",
        { "www-authenticate": "Bearer" },
      );
    },
    ticketAnswer(c, path) {
      if (!isTicketEndpoint(path)) return undefined;
      if (c.req.method !== "POST") {
        throw new HttpError(405, "method_not_allowed", "A ticket is asked for by POST.", {
          allow: "POST",
        });
      }
      const data = tickets.issue();
      if (data !== undefined) return c.json({ success: true, data });
      throw retryLater("Too many tickets wait for their use.", tickets.retryAfter);
    },
  };
}

export function retryLater(sentence: string, seconds: number): HttpError {
  return new HttpError(429, "too_many_requests", `${sentence} Try again in ${seconds} s.`, {
    "retry-after": `${seconds}`,
  });
}
