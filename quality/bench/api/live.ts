/**
 * What live streams cost: many listeners in this process, one loop whose agent writes many lines a second into a real
 * agent.log. Some listeners stop reading: nobody else may notice.
 * Run it with: node quality/bench/api/live.ts [listeners] [lines per second] [seconds]
 */
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { createLive } from "../../../packages/api/src/live/live.ts";
import { machine } from "../../support/figures.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { fill, idleLoops } from "./support/loops.ts";

const [listeners = 1000, perSecond = 1000, seconds = 10] = process.argv.slice(2).map(Number);
const SLOW = 10;
const BATCH_MS = 10;

const root = temporaryFolder("bench");
const [id = ""] = await fill(root, 1);
const { store, service } = idleLoops(root);
const live = createLive(service);
const kinds = new Set(["recorded", "activity"] as const);

/** Messages in a write; listeners at the same place share it. */
const counted = new WeakMap<Uint8Array, number>();
const decoder = new TextDecoder();
function messagesIn(bytes: Uint8Array): number {
  const count = counted.get(bytes) ?? decoder.decode(bytes).split("event: activity\n").length - 1;
  counted.set(bytes, count);
  return count;
}

const delivered: number[] = [];
let writes = 0;
async function listen(n: number, slow: boolean): Promise<void> {
  const stream = await live.loop(id, { kinds, lost: false });
  const reader = stream.getReader();
  delivered[n] = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
    if (done || !value) return;
    writes += 1;
    delivered[n] = (delivered[n] ?? 0) + messagesIn(value);
    if (slow && (delivered[n] ?? 0) > 10) await delay(3_600_000, undefined, { ref: false });
  }
}

for (let n = 0; n < listeners; n += 1) void listen(n, n < SLOW);
while (live.figures().listeners < listeners) await delay(10);
await delay(500);
const before = { cpu: process.cpuUsage(), at: performance.now() };
let peak = 0;
let sent = 0;
const total = perSecond * seconds;
while (sent < total) {
  await delay(BATCH_MS);
  const due = Math.min(total, Math.floor(((performance.now() - before.at) / 1000) * perSecond));
  const lines = Array.from({ length: due - sent }, (_, k) => ({
    at: new Date().toISOString(),
    action: "DEVELOP",
    event: {
      type: "command.output",
      text: `line ${sent + k} ${"of an agent's output ".repeat(4)}`,
    },
  }));
  sent = due;
  await store.appendLog(id, lines);
  peak = Math.max(peak, process.memoryUsage.rss());
}
const written = performance.now() - before.at;
const quick = () => delivered.slice(SLOW);
const late = () => quick().some((count) => count < total);
while (late() && performance.now() - before.at < written + 30_000) await delay(10);
const lag = performance.now() - before.at - written;
const { user, system } = process.cpuUsage(before.cpu);
const all = performance.now() - before.at;
const complete = quick().filter((count) => count === total).length;

console.log(`machine: ${machine()}`);
console.log(
  `${listeners} listeners (${SLOW} stop reading), ${sent} lines in ${(written / 1000).toFixed(1)} s`,
);
console.log(`with all lines: ${complete} of ${quick().length}, ${(lag / 1000).toFixed(1)} s later`);
console.log(`writes per listener and second: ${(writes / listeners / (all / 1000)).toFixed(1)}`);
console.log(
  `CPU: ${((user + system) / 10 / all).toFixed(0)} % of one core; RSS at most ${(peak / 2 ** 20).toFixed(0)} MiB`,
);
live.close();
await store.close();
process.exit(complete === quick().length ? 0 : 1);
