/**
 * One loop whose agent writes many lines a second, watched in a browser: how long each line takes from its record to the
 * screen, what the page's thread takes, what jumps on the page, and what it holds after an hour's worth of output in fast
 * motion.
 *   node quality/bench/web/flood.ts [lines per second] [seconds] [lines of an hour]
 */
import { setTimeout as delay } from "node:timers/promises";
import { loopsIn, makeLoop } from "../../../apps/tui/test/support/make-loop.ts";
import { watchJumps } from "../../../apps/web/test/support/jumps.ts";
import { machine, percentiles } from "../../support/figures.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { dashboard, heldBy } from "./support/dashboard.ts";

const [PER_SECOND = 1000, SECONDS = 15, HOUR = 360_000] = process.argv.slice(2).map(Number);
const BATCH_MS = 20;
const FAST_BATCH = 2000;

const folder = temporaryFolder("bench");
await makeLoop(folder);
await using loops = loopsIn(folder);
await loops.service.send("sum", { type: "start" });
await using served = await dashboard(folder);
const page = await (await served.open()).newPage();
await page.goto(`${served.url}/loops/sum`);
await page.getByRole("log").waitFor();
const before = await heldBy(page);

/**
 * In every frame it looks which lines are new in the document; they are on the screen when the next frame begins. Each line
 * says when it was written.
 */
const WATCH = `
  window.ages = [];
  let last = -1;
  let fresh = [];
  const look = () => {
    const now = Date.now();
    for (const at of fresh) ages.push(now - at);
    fresh = [];
    let newest = last;
    const blocks = [...document.querySelectorAll("[role=log] .block")].reverse();
    search: for (const block of blocks) {
      for (let line = block.lastElementChild; line; line = line.previousElementSibling) {
        const [, number, at] = /^line (\\d+) at (\\d+)/.exec(line.textContent) ?? [];
        if (number === undefined) continue;
        if (Number(number) <= last) break search;
        newest = Math.max(newest, Number(number));
        fresh.push(Number(at));
      }
    }
    last = newest;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
`;
await page.evaluate(WATCH);
const jumps = await watchJumps(page);

let written = 0;
/** Each line is a record of its own, as from a command that prints line by line. */
async function write(count: number): Promise<void> {
  const at = new Date();
  const lines = Array.from({ length: count }, (_, n) => ({
    at: at.toISOString(),
    action: "DEVELOP" as const,
    event: {
      type: "command.output" as const,
      text: `line ${written + n} at ${at.getTime()} of what a build says while it goes on and on\n`,
    },
  }));
  if (count > 0) await loops.store.appendLog("sum", lines);
  written += count;
}

const debug = await page.context().newCDPSession(page);
await debug.send("Performance.enable");

/** The time that the page's own thread has worked since then, in seconds. */
async function busy(): Promise<number> {
  const { metrics } = await debug.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
}

const busyBefore = await busy();
const began = performance.now();
while (performance.now() - began < SECONDS * 1000) {
  await delay(BATCH_MS);
  await write(Math.floor(((performance.now() - began) / 1000) * PER_SECOND) - written);
}
const seconds = (performance.now() - began) / 1000;
const share = ((await busy()) - busyBefore) / seconds;
const last = () =>
  page.getByText(new RegExp(`^line ${written - 1} at `)).waitFor({ timeout: 240_000 });
await last();
await delay(200);
const ages = (await page.evaluate("ages")) as number[];
const jumped = (await jumps()).filter(({ inOutput }) => !inOutput);
const flooded = written;

const fast = performance.now();
while (written < flooded + HOUR) await write(Math.min(FAST_BATCH, flooded + HOUR - written));
await last();
const took = (performance.now() - fast) / 1000;

console.log(`machine: ${machine()}`);
console.log(`${flooded} lines in ${seconds.toFixed(1)} s, ${ages.length} of them seen`);
console.log(`line to screen: ${percentiles(ages)}`);
console.log(`the page's thread: ${(share * 100).toFixed(0)} % of a core`);
const sum = jumped.reduce((all, { value }) => all + value, 0);
console.log(`layout shifts beside the output: ${jumped.length}, ${sum.toFixed(4)} in all (aim: 0)`);
for (const { moved } of jumped.slice(0, 5)) console.log(`  ${moved.join("; ")}`);
console.log(`${HOUR} lines at once: shown in ${took.toFixed(1)} s`);
console.log(`held before: ${before}`);
console.log(`held after: ${await heldBy(page)}`);
