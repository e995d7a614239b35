import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { serve } from "@ccw-loop/api/node";
import { vi } from "vitest";
import { compose } from "../../src/runtime/compose.ts";
import type { FakeIo } from "./fake-io.ts";
import { PATIENCE } from "./processes.ts";
import type { Project } from "./project.ts";

export const TOKEN = "a-token-for-tests-with-32-characters";

/** A server that answers for a project, called `shop` there, and drives its loops or not. */
export async function served({ dir }: Project, { drives }: { drives: boolean }) {
  const parts = compose(dir, {
    warn: () => undefined,
    keyFile: join(dir, ".workflow", "receipt.key"),
  });
  const service = await parts.loops();
  const stop = new AbortController();
  const { signal } = stop;
  const projects = [{ name: "shop", service, drives: () => drives }];
  const server = await serve({ projects, listen: { port: 0 }, token: TOKEN, signal });
  const supervised = drives ? service.supervise({ signal }) : undefined;
  return {
    url: server.url,
    async close() {
      stop.abort();
      await supervised;
      await server.closed;
      await parts.close();
    },
  };
}

/** Where `ccw-loop serve` listens, once it says so there. */
export const listeningAt = ({ err }: Pick<FakeIo, "err">): Promise<string> =>
  vi.waitFor(() => {
    const [, url] = /^Listening at (\S+)$/m.exec(err()) ?? [];
    if (url === undefined) throw new Error(`It does not listen: ${err()}`);
    return url;
  }, PATIENCE);

/** Where nobody listens. */
export async function deadUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
