/**
 * What the control plane's requests cost over a real socket, beside reading the same files by hand, in one run:
 * list pages of 50 at 10, 1,000 and 10,000 loops, one loop, creating, pausing and resuming.
 * Run it with: node quality/bench/api/requests.ts [seconds per line]
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import autocannon from "autocannon";
import { machine, median, percentile } from "../../support/figures.ts";
import { removeFolder, temporaryFolder } from "../../support/folders.ts";
import { fill } from "./support/loops.ts";

const SECONDS = Number(process.argv[2] ?? 3);
const TOKEN = "bench-".repeat(8);
const HEADERS = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };

interface Row {
  what: string;
  clients: number;
  perSecond: number;
  p50: number;
  p99: number;
}
const rows: Row[] = [];

console.log(`machine: ${machine()}`);
for (const loops of [10, 1_000, 10_000]) await measure(loops);
print();

async function measure(loops: number): Promise<void> {
  const root = temporaryFolder("bench");
  const ids = await fill(root, loops);
  const server = fork(join(import.meta.dirname, "support/server.ts"), [root, TOKEN]);
  try {
    const [{ url }] = (await once(server, "message")) as [{ url: string }];
    const api = `${url}/api/loops/v2`;
    byHand(root, ids);
    const cold = performance.now();
    await (await fetch(api, { headers: HEADERS })).arrayBuffer();
    console.log(`${loops} loops: first list ${Math.round(performance.now() - cold)} ms`);
    for (const clients of [1, 10]) {
      await load(`list page of 50, ${loops} loops`, clients, [{ method: "GET", path: api }]);
    }
    if (loops === 1_000) {
      const one = `${api}/${ids[500]}`;
      for (const clients of [1, 10])
        await load("one loop", clients, [{ method: "GET", path: one }]);
      const body = JSON.stringify({ title: "made in a measurement" });
      await load("create", 1, [{ method: "POST", path: api, body }]);
      const turn = ["resume", "pause"].map((verb) => ({
        method: "POST" as const,
        path: `${one}/${verb}`,
      }));
      await load("resume or pause", 1, turn);
    }
    server.send("memory");
    const [{ memory }] = (await once(server, "message")) as [{ memory: number }];
    console.log(`${loops} loops: server ${Math.round(memory / 1e6)} MB`);
  } finally {
    server.disconnect();
    await once(server, "exit");
    removeFolder(root);
  }
}

/** What the disk itself costs, without a server and without an index: once all names, then fifty files. */
function byHand(root: string, ids: readonly string[]): void {
  const folder = join(root, ".workflow", ".loop");
  const read = (id: string) => JSON.parse(readFileSync(join(folder, `${id}.json`), "utf8"));
  timeFor(`by hand: names and 50 files, ${ids.length} loops`, () => {
    readdirSync(folder);
    for (const id of ids.slice(-50)) read(id);
  });
  timeFor(`by hand: one file, ${ids.length} loops`, () => read(ids[0] ?? ""));
}

function timeFor(what: string, work: () => void): void {
  const took: number[] = [];
  for (const until = performance.now() + 500; performance.now() < until; ) {
    const begin = performance.now();
    work();
    took.push(performance.now() - begin);
  }
  const [p50, p99] = [median(took), percentile(took, 0.99)];
  rows.push({ what, clients: 1, perSecond: 1000 / p50, p50, p99 });
}

interface Call {
  method: "GET" | "POST";
  path: string;
  body?: string;
}

async function load(what: string, clients: number, calls: Call[]): Promise<void> {
  const { origin } = new URL(calls[0]?.path ?? "");
  const requests = calls.map(({ path, ...rest }) => ({ ...rest, path: new URL(path).pathname }));
  const options = { url: origin, connections: clients, headers: HEADERS, requests, sampleInt: 20 };
  // Whole rounds: what is resumed is paused again before the next line begins.
  const round = clients * calls.length;
  const run = async (rounds: number) => {
    const begin = performance.now();
    const result = await autocannon({ ...options, amount: rounds * round });
    return { result, seconds: (performance.now() - begin) / 1000 };
  };
  const warm = await run(100);
  const { result, seconds } = await run(Math.max(100, Math.ceil((100 * SECONDS) / warm.seconds)));
  const bad = result.non2xx + result.errors + result.timeouts;
  if (bad > 0) throw new Error(`${what}: ${bad} requests were not answered well.`);
  const { latency, requests: done } = result;
  const perSecond = done.total / seconds;
  rows.push({ what, clients, perSecond, p50: latency.p50, p99: latency.p99 });
}

function print(): void {
  const width = Math.max(...rows.map(({ what }) => what.length));
  console.log(`${"".padEnd(width)}  clients    per s   p50 ms   p99 ms`);
  for (const { what, clients, perSecond, p50, p99 } of rows) {
    const figures = [clients, perSecond.toFixed(0), p50.toFixed(2), p99.toFixed(2)];
    const [a = "", b = "", c = "", d = ""] = figures.map(String);
    console.log(
      `${what.padEnd(width)}  ${a.padStart(7)}  ${b.padStart(7)}  ${c.padStart(7)}  ${d.padStart(7)}`,
    );
  }
}
