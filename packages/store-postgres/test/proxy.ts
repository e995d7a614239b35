import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A way to a server that can be cut, and made longer. */
export interface Way {
  port: number;
  refused(): number;
  /** Cuts every connection, and refuses new ones until it is opened. */
  cut(): void;
  open(): void;
  /** What is sent, in either direction, arrives so many milliseconds later; 0 for none. */
  delay(ms: number): void;
  /** Cuts the connection that carries this text once the server has answered: what was asked is done, and nobody is told. */
  loseAnswerTo(text: string): void;
  /** Whether the server has lately answered anything with this text. */
  told(text: string): boolean;
  close(): void;
}

/** So many answers. */
const REMEMBERED = 1000;

/** On a port of 127.0.0.1, to the server of the address. */
export async function proxyTo(url: string): Promise<Way> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let isOpen = true;
  let refused = 0;
  let lost: string | undefined;
  const answers: Buffer[] = [];
  let delayMs = 0;
  const server = createServer((client) => {
    if (!isOpen) {
      refused += 1;
      client.destroy();
      return;
    }
    const upstream = connect(Number(port), hostname);
    const both = [client, upstream];
    let loses = false;
    const [toClient, toServer] = both.map((socket) => late(socket, () => delayMs));
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
      toServer?.(data);
    });
    upstream.on("data", (data: Buffer) => {
      answers.push(data);
      if (answers.length > REMEMBERED) answers.shift();
      if (loses) client.destroy();
      else toClient?.(data);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const cut = () => {
    isOpen = false;
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    refused: () => refused,
    cut,
    open: () => {
      isOpen = true;
    },
    loseAnswerTo: (text) => {
      lost = text;
    },
    delay: (ms) => {
      delayMs = ms;
    },
    told: (text) => Buffer.concat(answers).includes(text),
    close: () => {
      cut();
      server.close();
    },
  };
}

/** Writes to the socket in order, so many milliseconds late. */
function late(socket: Socket, delayMs: () => number): (data: Buffer) => void {
  let before = Promise.resolve();
  let [queued, lastDue] = [0, 0];
  return (data) => {
    if (queued === 0 && delayMs() === 0) return void socket.write(data);
    queued += 1;
    lastDue = Math.max(lastDue, performance.now() + delayMs());
    const due = lastDue;
    before = before.then(async () => {
      await sleep(Math.max(0, due - performance.now()));
      queued -= 1;
      socket.write(data);
    });
  };
}
