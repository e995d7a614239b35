import { badOption } from "../app/options.ts";
import { isLoopback } from "../guard/hosts.ts";

export interface LoopClientOptions {
  /** Where the control plane is: `http://127.0.0.1:3456`, or `…/projects/NAME` for one of several projects. */
  url: string | URL;
  /** Sent to this address alone. */
  token?: string | undefined;
  /** Send the token also to another machine without TLS, where everybody on the way can read it. */
  insecureHttp?: boolean | undefined;
  /** Instead of the global one. */
  fetch?: ((request: Request) => Response | Promise<Response>) | undefined;
  /** How streams come back after their connection broke. */
  reconnect?: Partial<Reconnect> | undefined;
}

/** In milliseconds. */
export const RECONNECT = {
  /** Before the first attempt; twice as long before each further one, with chance. */
  first: 250,
  most: 10_000,
  /** A stream that could not come back for so long fails. */
  giveUp: 300_000,
  /** A stream that says nothing for so long, not even that it lives, is taken for broken. */
  silence: 45_000,
};

export type Reconnect = typeof RECONNECT;

/** Throws `invalid_input` for a token that no header can carry, and does not repeat it. */
export function requireToken(token: string | undefined): void {
  if (token === undefined || /^[\x21-\x7e]*$/.test(token)) return;
  throw badOption(
    "The token has to be one line of visible ASCII characters, without the end of that line: trim what was read from a file.",
  );
}

/**
 * The address without a slash at its end. Throws `invalid_input` for one that requests cannot be sent to, or where a
 * token would be read by others.
 */
export function checkedAddress({ url, token, insecureHttp = false }: LoopClientOptions): string {
  const parsed = URL.parse(String(url));
  const problem =
    parsed === null
      ? "is no URL"
      : parsed.protocol !== "http:" && parsed.protocol !== "https:"
        ? "does not begin with http:// or https://"
        : parsed.username !== "" || parsed.password !== ""
          ? "has a name or password in it; a token is given on its own"
          : parsed.search !== "" || parsed.hash !== ""
            ? "has a query or a fragment, which an address of the control plane has not"
            : undefined;
  if (parsed === null || problem !== undefined) {
    // A name or password in it is not repeated, nor a query.
    const isPlace = parsed !== null && parsed.origin !== "null";
    const shown = isPlace ? parsed.origin + parsed.pathname : JSON.stringify(String(url));
    throw badOption(
      `${shown} ${problem}. Give one such as http://127.0.0.1:3456 or http://127.0.0.1:3456/projects/NAME.`,
    );
  }
  const inTheClear = parsed.protocol === "http:" && !isLoopback(parsed.hostname);
  if (token !== undefined && inTheClear && !insecureHttp) {
    throw badOption(
      `${parsed.origin} is another machine and speaks no TLS: everybody on the way there could read the token. ` +
        "Use an https:// address, or a tunnel to this machine (ssh -L); --insecure-http sends it all the same.",
    );
  }
  return (parsed.origin + parsed.pathname).replace(/\/+$/, "");
}
