/**
 * Live streams over real sockets: many clients, one loop whose agent writes many lines a second into a real agent.log. A
 * client that is cut comes back with its last id. Every client must end with every line, once.
 * Run it with: node quality/bench/api/streams.ts [clients] [lines per second] [seconds]
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fsStore } from "@ccw-loop/store-fs";
import { machine } from "../../support/figures.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { fill } from "./support/loops.ts";

const [CLIENTS = 1000, PER_SECOND = 1000, SECONDS = 10] = process.argv.slice(2).map(Number);
const TOKEN = "bench-".repeat(8);
const MARK = Buffer.from("event: activity\n");
const BATCH_MS = 10;

const root = temporaryFolder("bench");
const [id = ""] = await fill(root, 1);
const server = fork(join(import.meta.dirname, "support/server.ts"), [root, TOKEN]);
const [{ url }] = (await once(server, "message")) as [{ url: string }];
const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
let cuts = 0;
let bytes = 0;
let over = false;

/** One client; comes back as long as the measurement lasts. */
class Client {
  lines = 0;
  #lastId = "";
  #rest: Buffer = Buffer.alloc(0);

  async begin(): Promise<void> {
    const headers: Record<string, string> = { authorization: `Bearer ${TOKEN}` };
    if (this.#lastId !== "") headers["last-event-id"] = this.#lastId;
    const request = get(`${url}/api/loops/v2/${id}/events`, { agent, headers });
    const [answer] = (await once(request, "response")) as [IncomingMessage];
    if (answer.statusCode !== 200) throw new Error(`A stream was answered ${answer.statusCode}.`);
    answer.on("data", (chunk: Buffer) => this.#take(chunk));
    answer.on("error", () => undefined);
    answer.on("close", () => {
      this.#rest = Buffer.alloc(0);
      if (over) return;
      cuts += 1;
      void this.begin();
    });
  }

  /** Only whole messages count: what was cut off in the middle comes again. */
  #take(chunk: Buffer): void {
    bytes += chunk.length;
    const text = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = text.lastIndexOf("\n\n") + 2;
    if (end < 2) {
      this.#rest = text;
      return;
    }
    for (let at = text.indexOf(MARK); at !== -1 && at < end; at = text.indexOf(MARK, at + 1)) {
      this.lines += 1;
    }
    const begin = text.lastIndexOf("id: ", end);
    if (begin !== -1) {
      this.#lastId = text.subarray(begin + 4, text.indexOf("\n", begin)).toString();
    }
    this.#rest = text.subarray(end);
  }
}

const clients = Array.from({ length: CLIENTS }, () => new Client());
for (let n = 0; n < CLIENTS; n += 50) {
  await Promise.all(clients.slice(n, n + 50).map((client) => client.begin()));
}

const store = fsStore({ root });
const began = performance.now();
const before = process.cpuUsage();
let written = 0;
while (written < PER_SECOND * SECONDS) {
  const due = Math.min(
    PER_SECOND * SECONDS,
    Math.floor(((performance.now() - began) / 1000) * PER_SECOND),
  );
  const lines = Array.from({ length: due - written }, (_, n) => ({
    at: new Date().toISOString(),
    action: "DEVELOP",
    event: { type: "command.output", text: `line ${written + n} of what a build says\n` },
  }));
  if (lines.length > 0) await store.appendLog(id, lines);
  written = due;
  await delay(BATCH_MS);
}
const wrote = performance.now() - began;
const all = () => clients.every(({ lines }) => lines >= written);
while (!all() && performance.now() - began < wrote + 60_000) await delay(50);
const took = performance.now() - began;
server.send("memory");
const [{ memory }] = (await once(server, "message")) as [{ memory: number }];
const own = process.cpuUsage(before);
over = true;

const whole = clients.filter(({ lines }) => lines === written).length;
console.log(`machine: ${machine()}`);
console.log(
  `${written} lines written in ${(wrote / 1000).toFixed(1)} s, read by ${CLIENTS} clients`,
);
console.log(`clients with every line once: ${whole}, cut and resumed: ${cuts} times`);
console.log(`all had it ${((took - wrote) / 1000).toFixed(1)} s after the last line`);
console.log(
  `${Math.round(bytes / 1e6 / (took / 1000))} MB/s; server ${Math.round(memory / 1e6)} MB`,
);
console.log(
  `the clients themselves: ${Math.round((own.user + own.system) / took / 10)} % of a core`,
);
agent.destroy();
await store.close();
server.disconnect();
await once(server, "exit");
process.exit(whole === CLIENTS ? 0 : 1);
