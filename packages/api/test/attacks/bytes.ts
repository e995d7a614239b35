import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, vi } from "vitest";
import { type Door, raw, statuses, wire } from "../node/served.ts";
import type { Check, Row } from "./row.ts";

const JSON_TYPE = { "content-type": "application/json" };
const CLOSE = { connection: "close" };
const POST = "POST /api/loops/v2";

const alive = async ({ ask }: Door) => expect((await ask("/api/loops/v2")).status).toBe(200);

/** For who is too slow. */
const SOON = { headersMs: 300, requestMs: 300 };

function refusal(name: string, status: number, text: string, limits = {}): Check {
  return {
    limits,
    name: `${name}: ${status}`,
    async run(door) {
      const answer = await raw(door.port, text);
      expect(statuses(answer)).toEqual([status]);
      expect(answer).toContain('"success":false');
      await alive(door);
    },
  };
}

const chunked = { ...JSON_TYPE, "transfer-encoding": "chunked" };

const BODIES: readonly Check[] = [
  refusal(
    "60 MB are not waited for",
    413,
    wire(POST, { ...JSON_TYPE, ...CLOSE, "content-length": "60000000" }, "x".repeat(1000)),
  ),
  refusal(
    "2 MB in chunks are not read to their end",
    413,
    wire(POST, { ...chunked, ...CLOSE }, `200000\r\n${"x".repeat(0x200000)}\r\n`),
  ),
  refusal(
    "a body that comes too slowly",
    408,
    wire(POST, { ...JSON_TYPE, "content-length": "9" }, "{"),
    SOON,
  ),
  refusal("headers that come too slowly", 408, "GET / HTTP/1.1\r\nhost: localhost\r\n", SOON),
  {
    name: "a connection that says nothing is not kept",
    limits: SOON,
    async run({ port }) {
      expect([[], [408]]).toContainEqual(statuses(await raw(port, "")));
    },
  },
  refusal("headers without end", 431, wire("GET /", { "x-long": "x".repeat(20_000) })),
  refusal(
    "a length and chunks at once (smuggling)",
    400,
    wire(POST, { ...chunked, "content-length": "3" }, "0\r\n\r\nGET /api/health HTTP/1.1\r\n\r\n"),
  ),
  refusal("two lengths", 400, wire(POST, { "content-length": "1\r\ncontent-length: 2" }, "{}")),
  refusal("a header with a line break of its own", 400, wire("GET /", { "x-a": "b\n c\rd: e" })),
  refusal("no HTTP", 400, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
  refusal("a version of the future", 400, "GET / HTTP/9.9\r\nhost: localhost\r\n\r\n"),
  refusal("a method of nobody", 400, wire("LOOP /api/loops/v2")),
  refusal("a path that is none", 400, wire("OPTIONS *", CLOSE)),
  refusal("a backslash in the path", 400, wire("GET /api\\loops", CLOSE)),
  {
    name: "pipelined requests are answered in their order",
    async run({ port }) {
      const one = wire("GET /api/loops/v2");
      const last = wire("GET /api/nothing", CLOSE);
      expect(statuses(await raw(port, one + one + one + last))).toEqual([200, 200, 200, 404]);
    },
  },
  {
    name: "more connections than the bound are not taken, and the server stays answering",
    limits: { connections: 32 },
    async run(door) {
      const sockets: Socket[] = [];
      for (let n = 0; n < 40; n++) {
        const socket = connect(door.port, "127.0.0.1");
        socket.on("error", () => undefined);
        sockets.push(socket);
      }
      const dropped = sockets.map((socket) => once(socket, "close"));
      await Promise.race(dropped);
      for (const socket of sockets) socket.destroy();
      await Promise.all(dropped);
      await alive(door);
    },
  },
  {
    name: "a stream outlives the time for requests",
    limits: SOON,
    async run(door) {
      const stream = await door.ask("/api/events");
      const ended = stream.text().then(() => "ended");
      // Longer than the bound for slow requests of this server: one is refused meanwhile.
      const slow = raw(door.port, wire(POST, { ...JSON_TYPE, "content-length": "9" }, "{"));
      expect(await Promise.race([ended, slow.then(statuses)])).toEqual([408]);
      await stream.body?.cancel().catch(() => undefined);
    },
  },
];

/** Bytes that are meant to exhaust, to confuse or to hurt. */
export const BYTES: readonly Row[] = [
  { attack: "body of 60 MB, slow body, slow headers, many connections, pipelined", here: BODIES },
  {
    attack: "SSE client that never reads",
    here: [
      {
        name: "it is dropped when it takes nothing for 15 seconds, and the loop notices nothing",
        waits: true,
        async run({ port, ask }) {
          const put = (path: string, body: object, method = "PUT") =>
            ask(path, { method, headers: JSON_TYPE, body: JSON.stringify(body) });
          const listeners = async () =>
            /^ccw_loop_live_clients (\d+)$/m.exec(await (await ask("/metrics")).text())?.[1];
          await put("/api/loops/v2", { id: "a", title: "t" }, "POST");
          const deaf = connect(port, "127.0.0.1");
          deaf.write(wire("GET /api/loops/v2/a/events"));
          await once(deaf, "data");
          deaf.pause();
          expect(await listeners()).toBe("1");
          for (let n = 0; n < 40; n++) {
            const description = `${n}`.padEnd(300_000, "x");
            expect((await put("/api/loops/v2/a", { description })).status).toBe(200);
          }
          await vi.waitFor(async () => expect(await listeners()).toBe("0"), {
            timeout: 30_000,
            interval: 500,
          });
          deaf.destroy();
        },
      },
    ],
    elsewhere: [
      {
        file: "api/test/live/crowd.test.ts",
        test: "for a listener that does not read nothing is read",
      },
    ],
  },
  {
    attack: "multi-byte text across chunks",
    elsewhere: [{ file: "api/test/routes-requests.test.ts", test: "in whatever pieces it comes" }],
  },
  {
    attack:
      "JSON depth 100,000; 1e308; duplicate keys; __proto__, constructor; lone surrogates; invalid UTF-8",
    here: [
      {
        name: "400 or harmless, and the server stays answering",
        async run(door) {
          const send = async (text: string) => {
            const body = Buffer.from(text, "latin1");
            const headers = { ...JSON_TYPE, ...CLOSE, "content-length": `${body.length}` };
            const socket = connect(door.port, "127.0.0.1");
            let answer = "";
            socket.on("data", (data) => (answer += data));
            socket.write(wire(POST, headers));
            socket.write(body);
            await once(socket, "close");
            return statuses(answer)[0];
          };
          expect(await send(`${"[".repeat(100_000)}${"]".repeat(100_000)}`)).toBe(400);
          expect([201, 400]).toContain(await send('{"title":"t","max_iterations":1e308}'));
          expect(await send('{"title":"a","title":"b"}')).toBe(201);
          expect(await send('{"title":"t","__proto__":{"x":1},"constructor":{"x":1}}')).toBe(400);
          expect(
            await send('{"title":"t","settings":{"__proto__":{"x":1},"constructor":{"x":1}}}'),
          ).toBe(400);
          expect(await send('{"title":"\\ud800"}')).toBe(201);
          expect(await send('{"title":"\xff\xfe"}')).toBe(400);
          expect(({} as Record<string, unknown>).x).toBeUndefined();
          await alive(door);
        },
      },
    ],
    elsewhere: [{ file: "api/test/routes-requests.test.ts", test: "changes no prototype" }],
  },
];
