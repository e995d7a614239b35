import { hostClient, loopClient } from "@ccw-loop/api/client";
import { errorText } from "@ccw-loop/core";
import { Store } from "./store.ts";

/** Where the app lies that sent this page: its files are in `assets` below that. */
export const base = new URL(/* @vite-ignore */ "..", import.meta.url);

/** Whether this is the page of one of several projects, and not that of the server. */
export const isOneProject = /^\/projects\/[^/]+\/$/.test(base.pathname);

/** Whether the server answered when it was last asked. */
export const link = new Store<"live" | "lost">("live");

/** Who is logged in. `open`: the server asks nobody who they are. */
export const session = new Store<
  "unknown" | "out" | "open" | { role: "operator" | "reader"; expires_at: string | null }
>("unknown");

/** Whether who is logged in may only look. */
export function isReader(who: ReturnType<typeof session.get>): boolean {
  return typeof who === "object" && who.role === "reader";
}

/** Asks with the cookie, and with the header that pages of other origins cannot send. */
export async function ask(request: Request): Promise<Response> {
  request.headers.set("x-ccw-loop", "page");
  try {
    const response = await fetch(request);
    link.set("live");
    if (response.status === 401) session.set("out");
    return response;
  } catch (error) {
    if (!request.signal.aborted) link.set("lost");
    throw error;
  }
}

/** Of clients of this server, for the app below a path. */
export function clientOptions(path: string) {
  return {
    url: new URL(path, base).href,
    fetch: ask,
    reconnect: { most: 5_000, giveUp: Number.POSITIVE_INFINITY },
  };
}

export const loops = loopClient(clientOptions(""));
export const host = hostClient(clientOptions(""));

const CODE = /^#login=(.*)$/;
const WHOLE_CODE = /^[0-9a-f]{64}$/;

/** Finds out who is logged in; first by the code of a login link, which goes out of the address at once. */
export async function openSession(): Promise<string | null> {
  const [, code] = CODE.exec(location.hash) ?? [];
  if (code !== undefined) history.replaceState(null, "", location.pathname + location.search);
  const isCut = code !== undefined && !WHOLE_CODE.test(code);
  try {
    session.set(code === undefined || isCut ? await host.session() : await host.logIn({ code }));
    return null;
  } catch (error) {
    if (session.get() === "out") return code === undefined ? null : isCut ? CUT : SPENT;
    // An app that somebody else guards has no sessions.
    if (Object(error).details?.status === 404) session.set("open");
    return errorText(error);
  }
}

const SPENT = "This login link was used before, or is too old.";
const CUT = "This login link is not whole: open it as it was printed, in one line.";
