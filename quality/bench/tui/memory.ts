/**
 * What the terminal interface keeps of what an agent writes: its memory after a million lines and after ten.
 *   node quality/bench/tui/memory.ts [lines]
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { machine, memoryOf, percentiles } from "../../support/figures.ts";
import { pty } from "./support/pty.ts";

const LINES = Number(process.argv[2] ?? 10_000_000);
const FLOODED = join(import.meta.dirname, "support", "flooded-tui.ts");

console.log(`machine: ${machine()}`);
for (const lines of [LINES / 10, LINES]) {
  const options = { cwd: tmpdir(), columns: 120, rows: 40 };
  await using terminal = await pty([process.execPath, FLOODED, `${lines}`], options);
  await terminal.shows(/A flood/);
  const before = memoryOf(terminal.pid());
  await terminal.paints("\r", /╭ Agent/);
  const keys: number[] = [];
  const began = performance.now();
  const isOver = () => terminal.screen().includes("That was the last line.");
  while (!isOver()) {
    // Somebody who types fast, but lets the lines through.
    await delay(100);
    keys.push(await terminal.paints("?", /╭ Keys/), await terminal.paints("?", /╭ Agent/));
  }
  const seconds = (performance.now() - began) / 1000;
  console.log(
    `${lines} lines in ${seconds.toFixed(0)} s: ${memoryOf(terminal.pid())} MB (${before} MB before), key to picture ${percentiles(keys)}`,
  );
}
