import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { loopClient } from "@ccw-loop/api/client";
import { type ClientSetup, equal, type Proofs } from "./proof.ts";

const PROGRAM = join(import.meta.dirname, "../bun/gateway.ts");

/** `examples/gateway.ts` under real Bun, in front of the served project; streams go through both. */
export async function* gatewayOnBun({ tools, has, url, token, settings }: ClientSetup): Proofs {
  if (!has.bun) {
    yield "left out: Bun is tried on Linux (x64) alone";
    return;
  }
  const port = await freePort();
  const ownToken = "the-token-of-the-gateway-itself-32";
  const bun = spawn(
    join(tools, "node_modules", "@oven", "bun-linux-x64", "bin", "bun"),
    [PROGRAM],
    {
      env: {
        ...process.env,
        GATEWAY_PORT: `${port}`,
        LOOPS_URL: url,
        LOOPS_TOKEN: token,
        OWN_TOKEN: ownToken,
      },
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  try {
    const front = `http://127.0.0.1:${port}`;
    await answering(front);
    yield "it answers";
    const refused = await fetch(`${front}/api/loops/v2`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    equal("the token of the one behind", refused.status, 401);

    const loops = loopClient({ url: front, token: ownToken });
    const { loop_id: id } = await loops.create({ description: "Mend the cart", settings });
    const over = AbortSignal.timeout(90_000);
    const told: string[] = [];
    const watching = (async () => {
      for await (const live of loops.watch(id, { after: 0, signal: over })) {
        if (live.kind === "recorded") told.push(live.recorded.event.type);
        if (told.includes("action.completed")) return;
      }
    })();
    await loops.send(id, { type: "start" });
    await watching;
    equal("what was told first", told.slice(0, 2), ["loop.created", "loop.started"]);
    yield "a loop is created, started and watched through it, with a token of its own";
    await loops.send(id, { type: "stop" });
  } finally {
    const exit = bun.exitCode === null ? once(bun, "exit") : undefined;
    bun.kill("SIGTERM");
    await exit;
  }
}

async function answering(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const answer = await fetch(`${url}/api/health`).catch(() => undefined);
    if (answer?.ok) return;
    await delay(50);
  }
  throw new Error(`Nobody answers at ${url}.`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
