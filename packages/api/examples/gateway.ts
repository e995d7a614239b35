import { createApp } from "@ccw-loop/api";
import { loopClient } from "@ccw-loop/api/client";

export interface GatewayOptions {
  /** The control plane behind it, and its token. */
  url: string;
  token: string;
  /** The token that the gateway's own clients send. */
  ownToken: string;
  hosts: string[];
}

/**
 * A control plane in front of another one, with a token of its own: the client is a `LoopService` like any other. Nothing
 * here needs Node, so the same handler is served by `Bun.serve({ fetch, idleTimeout: 60 })`, `Deno.serve(fetch)` or as a
 * worker's `fetch`. Streams say something every 15 seconds; Bun ends what is quiet for 10 unless told.
 */
export function gateway({ url, token, ownToken, hosts }: GatewayOptions) {
  const app = createApp(loopClient({ url, token }), { access: { token: ownToken }, hosts });
  return (request: Request): Response | Promise<Response> => app.fetch(request);
}
