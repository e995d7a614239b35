import type { AddressInfo } from "node:net";
import { connect, createServer, type Server, type Socket } from "node:net";
import { serve } from "@hono/node-server";
import type { Hono } from "hono";

/** An app on a real socket, behind a wire that can be cut. */
export interface Wire {
  url: string;
  /** Breaks every connection that is open. */
  cut(): void;
  /** While it is down, nobody gets through. */
  down(is: boolean): void;
  /** How many connections there were. */
  connections(): number;
  close(): Promise<void>;
}

export async function onWire(app: Hono): Promise<Wire> {
  const server = await new Promise<ReturnType<typeof serve>>((resolve) => {
    const made = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, () => resolve(made));
  });
  const { port } = server.address() as AddressInfo;
  const sockets = new Set<Socket>();
  let isDown = false;
  let count = 0;
  const wire = createServer((inner) => {
    count += 1;
    if (isDown) return inner.destroy();
    const outer = connect(port, "127.0.0.1");
    for (const socket of [inner, outer]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        inner.destroy();
        outer.destroy();
      });
    }
    inner.pipe(outer).pipe(inner);
  });
  await listening(wire);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(wire.address() as AddressInfo).port}`,
    cut,
    down: (is) => {
      isDown = is;
      if (is) cut();
    },
    connections: () => count,
    async close() {
      cut();
      await Promise.all([closed(wire), closed(server as Server)]);
    },
  };
}

function listening(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
