import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { owner, urlWith } from "./places.ts";

/** A way to the server that can be cut. */
export interface Proxy {
  url: string;
  /** How many connections it refused. */
  refused(): number;
  /** Cuts every connection, and refuses new ones until it is opened. */
  cut(): void;
  open(): void;
  /** Cuts the connection that carries this text once the server has answered: what was asked is done, and nobody is told. */
  loseAnswerTo(text: string): void;
  /** Whether the server has answered anything with this text. */
  told(text: string): boolean;
}

export async function proxyToServer(): Promise<Proxy> {
  const { hostname, port } = new URL(owner);
  const sockets = new Set<Socket>();
  let isOpen = true;
  let refused = 0;
  let lost: string | undefined;
  let answers = "";
  const server = createServer((client) => {
    if (!isOpen) {
      refused += 1;
      client.destroy();
      return;
    }
    const upstream = connect(Number(port), hostname);
    const both = [client, upstream];
    let loses = false;
    for (const socket of both) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        for (const one of both) one.destroy();
      });
    }
    client.on("data", (data: Buffer) => {
      if (lost !== undefined && data.includes(lost)) {
        loses = true;
        lost = undefined;
      }
      upstream.write(data);
    });
    upstream.on("data", (data: Buffer) => {
      answers += data.toString("latin1");
      if (loses) client.destroy();
      else client.write(data);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const cut = () => {
    isOpen = false;
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  return {
    url: urlWith({ port: String((server.address() as AddressInfo).port) }),
    refused: () => refused,
    cut,
    open: () => {
      isOpen = true;
    },
    loseAnswerTo: (text) => {
      lost = text;
    },
    told: (text) => answers.includes(text),
  };
}
