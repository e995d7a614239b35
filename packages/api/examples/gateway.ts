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
 * here needs Node, so the same handler is served by `Bun.serve({ fetch })`, `Deno.serve(fetch)` or as a worker's `fetch`.
 */
export function gateway({ url, token, ownToken, hosts }: GatewayOptions) {
  const app = createApp(loopClient({ url, token }), { access: { token: ownToken }, hosts });
  return (request: Request): Response | Promise<Response> => app.fetch(request);
}
