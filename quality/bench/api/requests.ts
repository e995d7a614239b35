/**
 * What the control plane's requests cost over a real socket. One loop, creating, and pausing or resuming are measured in turns with
 * Hono alone, which reads a file or writes one as durably; pages of 50, the first list and the memory at 10, 1,000 and more loops.
 * Run it with: node quality/bench/api/requests.ts [seconds per line] [most loops: 10,000; 100,000 takes some minutes]
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import autocannon from "autocannon";
import { machine, median } from "../../support/figures.ts";
import { removeFolder, temporaryFolder } from "../../support/folders.ts";
import { fill } from "./support/loops.ts";

const SECONDS = Number(process.argv[2] ?? 3);
const MOST = Number(process.argv[3] ?? 10_000);
const ROUNDS = 7;
const TOKEN = "bench-".repeat(8);
const HEADERS = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };

interface Call {
  method: "GET" | "POST";
  url: string;
  body?: string;
}
const get = (url: string): Call => ({ method: "GET", url });
const post = (url: string, body = "{}"): Call => ({ method: "POST", url, body });

/** A server in a process of its own. */
async function start(file: string, ...args: string[]) {
  const child = fork(join(import.meta.dirname, "support", file), args);
  const [{ url }] = (await once(child, "message")) as [{ url: string }];
  return {
    url,
    async memory(): Promise<number> {
      child.send("memory");
      const [{ memory }] = (await once(child, "message")) as [{ memory: number }];
      return memory;
    },
    async stop() {
      child.disconnect();
      await once(child, "exit");
    },
  };
}

/** Milliseconds per request, as often as fits into `seconds`; whole rounds of the calls. */
async function load(calls: readonly Call[], seconds: number, clients: number): Promise<number> {
  const { origin } = new URL(calls[0]?.url ?? "");
  const requests = calls.map(({ url, ...rest }) => ({ ...rest, path: new URL(url).pathname }));
  const options = { url: origin, connections: clients, headers: HEADERS, requests, sampleInt: 20 };
  let amount = 20 * clients * calls.length;
  for (;;) {
    const begin = performance.now();
    const result = await autocannon({ ...options, amount });
    const took = performance.now() - begin;
    const bad = result.non2xx + result.errors + result.timeouts;
    if (bad > 0) throw new Error(`${bad} requests to ${calls[0]?.url} were not answered well.`);
    if (took >= seconds * 500) return took / amount;
    const rounds = Math.ceil((amount * seconds * 1000) / took / (clients * calls.length));
    amount = Math.max(2 * amount, rounds * clients * calls.length);
  }
}

async function compare(what: string, ours: Call[], bare: Call[], clients: number): Promise<void> {
  const took: { ours: number; bare: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const each = SECONDS / ROUNDS;
    took.push({ bare: await load(bare, each, clients), ours: await load(ours, each, clients) });
  }
  const [own, alone] = [median(took.map((one) => one.ours)), median(took.map((one) => one.bare))];
  const ratio = median(took.map((one) => one.ours / one.bare)).toFixed(1);
  const who = clients === 1 ? "one client" : `${clients} clients`;
  console.log(
    `${`${what}, ${who}`.padEnd(34)} ${own.toFixed(2)} ms, Hono alone ${alone.toFixed(2)} ms: ${ratio} times`,
  );
}

async function measure(loops: number): Promise<void> {
  const root = temporaryFolder("bench");
  const ids = await fill(root, loops);
  const firstList = async (url: string) => {
    const begin = performance.now();
    await (await fetch(`${url}/api/loops/v2`, { headers: HEADERS })).arrayBuffer();
    return Math.round(performance.now() - begin);
  };
  const one = await start("server.ts", root, TOKEN);
  const cold = await firstList(one.url);
  await one.stop();
  const server = await start("server.ts", root, TOKEN);
  const api = `${server.url}/api/loops/v2`;
  const warm = await firstList(server.url);
  const began = Math.round((await server.memory()) / 1e6);
  const page = await load([get(api)], SECONDS, 1);
  const pages = await load([get(api)], SECONDS, 10);
  const memory = Math.round((await server.memory()) / 1e6);
  console.log(
    `${loops} loops: first list ${cold} ms, of a later process ${warm} ms; page of 50 ${page.toFixed(2)} ms, ` +
      `with ten clients one every ${pages.toFixed(2)} ms; server ${began} MB, behind them ${memory} MB`,
  );
  if (loops === 1000) await requests(root, ids, api);
  await server.stop();
  removeFolder(root);
}

async function requests(root: string, ids: readonly string[], api: string): Promise<void> {
  const folder = join(root, "bare");
  mkdirSync(folder);
  copyFileSync(join(root, ".workflow/.loop", `${ids[500]}.json`), join(folder, "one.json"));
  const bare = await start("bare.ts", folder);
  const one = `${api}/${ids[500]}`;
  for (const clients of [1, 10]) {
    await compare("one loop", [get(one)], [get(`${bare.url}/one`)], clients);
  }
  const body = JSON.stringify({ title: "made in a measurement" });
  await compare("create", [post(api, body)], [post(`${bare.url}/create`, body)], 1);
  const turn = [post(`${one}/resume`), post(`${one}/pause`)];
  await compare("pause or resume", turn, [post(`${bare.url}/change`)], 1);
  await bare.stop();
}

console.log(`machine: ${machine()}`);
for (const loops of [10, 1000, 10_000, 100_000].filter((one) => one <= MOST)) await measure(loops);
