import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import pg from "pg";
import { owner, urlWith } from "./places.ts";

const SSL_REQUEST = 80877103;
const AUTHENTICATED = frame("R", Buffer.alloc(4));
const IDLE = frame("Z", Buffer.from("I"));

/** A connection to the server, which whoever has a transaction borrows. */
interface Link {
  socket: Socket;
  borrower: Socket | null;
}

/**
 * A pooler in transaction mode: a connection to the server is lent for one transaction, and the next one may get another.
 * What was prepared or set in a connection is where it was, or with somebody else. It knows the owner's password alone.
 */
export async function transactionPooler(links: number) {
  const free: Link[] = [];
  const waiting: ((link: Link) => void)[] = [];
  const all: Link[] = [];
  for (let i = 0; i < links; i++) {
    const client = new pg.Client({ connectionString: owner });
    await client.connect();
    const { stream: socket } = (client as unknown as { connection: { stream: Socket } }).connection;
    socket.removeAllListeners("data");
    const link: Link = { socket, borrower: null };
    framesOf(socket, (type, data) => {
      link.borrower?.write(data);
      if (type !== "Z" || data.at(-1) !== IDLE.at(-1)) return;
      link.borrower = null;
      const next = waiting.shift();
      if (next) next(link);
      else free.push(link);
    });
    client.on("error", () => undefined);
    all.push(link);
    free.push(link);
  }
  const server = createServer((client) => {
    let link: Link | undefined;
    let unsent: Buffer[] = [];
    client.on("error", () => undefined);
    const lend = (lent: Link) => {
      link = lent;
      lent.borrower = client;
      for (const data of unsent) lent.socket.write(data);
      unsent = [];
    };
    framesOf(
      client,
      (type, data) => {
        if (type === "") {
          const isTls = data.readInt32BE(4) === SSL_REQUEST;
          client.write(isTls ? "N" : Buffer.concat([AUTHENTICATED, IDLE]));
          return isTls;
        }
        if (type === "X") return client.end();
        if (link?.borrower === client) return link.socket.write(data);
        const isFirst = unsent.push(data) === 1;
        if (!isFirst) return;
        // The one that has been free the longest: hardly ever the one that this client had before.
        const next = free.shift();
        if (next) lend(next);
        else waiting.push(lend);
      },
      true,
    );
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: urlWith({ port: String((server.address() as AddressInfo).port) }),
    close() {
      server.close();
      for (const { socket } of all) socket.destroy();
    },
  };
}

/** Calls back with every whole message, its type and all its bytes; the first of a client has no type. */
function framesOf(
  socket: Socket,
  found: (type: string, data: Buffer) => unknown,
  isClient = false,
): void {
  let rest: Buffer = Buffer.alloc(0);
  let isStart = isClient;
  socket.on("data", (data: Buffer) => {
    rest = Buffer.concat([rest, data]);
    for (;;) {
      const head = isStart ? 0 : 1;
      if (rest.length < head + 4) return;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) return;
      const whole = rest.subarray(0, length);
      rest = rest.subarray(length);
      const again = found(isStart ? "" : String.fromCharCode(whole[0] ?? 0), whole);
      if (isStart) isStart = again === true;
    }
  });
}

function frame(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}
