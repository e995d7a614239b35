/** The gateway example as Bun serves it: `bun gateway.ts`, with what it needs in the environment. */
import { gateway } from "../../../packages/api/examples/gateway.ts";

const { GATEWAY_PORT, LOOPS_URL = "", LOOPS_TOKEN = "", OWN_TOKEN = "" } = process.env;

export default {
  hostname: "127.0.0.1",
  port: Number(GATEWAY_PORT),
  /** Seconds; a stream says something every 15. */
  idleTimeout: 60,
  fetch: gateway({ url: LOOPS_URL, token: LOOPS_TOKEN, ownToken: OWN_TOKEN, hosts: [] }),
};
