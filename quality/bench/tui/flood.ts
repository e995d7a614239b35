/**
 * One loop whose agent writes many lines a second into a real agent.log, watched in a terminal: how long a key takes to
 * its picture, what the interface takes of a core, and what it writes to the terminal.
 *   node quality/bench/tui/flood.ts [lines per second] [seconds]
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { loopsIn, makeLoop } from "../../../apps/tui/test/support/make-loop.ts";
import { builtCopy } from "../../../packages/cli/scripts/built-copy.ts";
import { cpuOf, machine, memoryOf, percentiles } from "../../support/figures.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { pty } from "./support/pty.ts";

const [PER_SECOND = 1000, SECONDS = 20] = process.argv.slice(2).map(Number);
const BATCH_MS = 20;
/** The frame may arrive in parts: for a moment the sheet of keys is there beside the pane below it. */
const AGENT_ALONE = /^(?!.*╭ Keys).*╭ Agent/s;
const SIZE = { columns: 120, rows: 40 };

const folder = temporaryFolder("bench");
const launcher = await builtCopy(join(folder, "cli"));
await makeLoop(folder);
await using loops = loopsIn(folder);
await loops.service.send("sum", { type: "start" });
const options = { cwd: folder, env: { HOME: folder }, ...SIZE };
await using terminal = await pty([process.execPath, launcher, "tui"], options);
await terminal.shows(/The sum/);
await terminal.paints("\r", /No agent works now/);
const pid = terminal.pid();

const writing = writeLines(loops.store);
await terminal.shows(/line \d+ of/);
const before = { cpu: cpuOf(pid), ...terminal.written(), at: performance.now() };
await delay((SECONDS * 1000) / 2);
const seconds = (performance.now() - before.at) / 1000;
const share = (cpuOf(pid) - before.cpu) / 10 / seconds;
const after = terminal.written();
const bytes = (after.bytes - before.bytes) / seconds;
const keys: number[] = [];
while (!writing.over) {
  keys.push(await terminal.paints("?", /╭ Keys/), await terminal.paints("?", AGENT_ALONE));
}
const { written, took } = await writing.done;

console.log(`machine: ${machine()}`);
console.log(
  `${written} lines in ${(took / 1000).toFixed(1)} s, in a terminal of ${SIZE.columns} × ${SIZE.rows}`,
);
console.log(`key to picture: ${percentiles(keys)} (${keys.length} keys; aim: p99 at most 50 ms)`);
console.log(`CPU: ${share.toFixed(1)} % of one core (aim: at most 15 %)`);
const each = bytes / (written / (took / 1000));
console.log(
  `written to the terminal: ${(bytes / 1000).toFixed(1)} kB/s, ${each.toFixed(0)} bytes per line; a whole screen has ${SIZE.columns * SIZE.rows}; cleared ${after.clears - before.clears} times`,
);
console.log(`memory: ${memoryOf(pid)} MB`);

/** Each line is a record of its own, as from a command that prints line by line. */
function writeLines(store: ReturnType<typeof loopsIn>["store"]) {
  const began = performance.now();
  const state = { over: false, done: write() };
  return state;

  async function write() {
    const total = PER_SECOND * SECONDS;
    let written = 0;
    while (written < total) {
      await delay(BATCH_MS);
      const due = Math.min(total, Math.floor(((performance.now() - began) / 1000) * PER_SECOND));
      const lines = Array.from({ length: due - written }, (_, n) => ({
        at: new Date().toISOString(),
        action: "DEVELOP" as const,
        event: {
          type: "command.output" as const,
          text: `line ${written + n} of what a build says while it goes on and on\n`,
        },
      }));
      if (lines.length > 0) await store.appendLog("sum", lines);
      written = due;
    }
    state.over = true;
    return { written, took: performance.now() - began };
  }
}
