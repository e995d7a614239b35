/**
 * Ten thousand loops on the list: time to the first frame, until all are there, from a key to its picture, and memory.
 *   node quality/bench/tui/many-loops.ts [loops]
 */
import { join } from "node:path";
import { loopsIn } from "../../../apps/tui/test/support/make-loop.ts";
import { builtCopy } from "../../../packages/cli/scripts/built-copy.ts";
import { machine, memoryOf, percentiles } from "../../support/figures.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { pty } from "./support/pty.ts";

const LOOPS = Number(process.argv[2] ?? 10_000);
const KEYS = 100;
const BACKSPACE = "\u007f";

const folder = temporaryFolder("bench");
const launcher = await builtCopy(join(folder, "cli"));
await using loops = loopsIn(folder);
for (let n = 0; n < LOOPS; n += 50) {
  const ids = Array.from({ length: Math.min(50, LOOPS - n) }, (_, k) => n + k);
  await Promise.all(
    ids.map((id) => loops.service.create({ id: `loop-${id}`, description: `Repair part ${id}` })),
  );
}
const began = performance.now();
const options = { cwd: folder, env: { HOME: folder }, columns: 120, rows: 40 };
await using terminal = await pty([process.execPath, launcher, "tui"], options);
const first = await terminal.shows(/CCW Loop/, began);
const page = await terminal.shows(/Repair part \d+/, began);
const all = await terminal.shows(new RegExp(`All ${LOOPS}\\b`), began);

const moves: number[] = [];
for (let n = 0; n < KEYS; n += 1) {
  const selected = /─ (loop-\d+) ─/.exec(terminal.screen())?.[1];
  moves.push(await terminal.paints("j", new RegExp(`─ (?!${selected} )loop-\\d+ ─`)));
}
await terminal.paints("/", /enter to the list/);
const searches: number[] = [];
const typing = async (key: string, text: string) => {
  searches.push(await terminal.paints(key, new RegExp(`^ */ ${text} +\\d+ of ${LOOPS}`, "m")));
};
const text = "part 77";
await typing("p", "p");
for (let n = 0; n < KEYS / 10; n += 1) {
  for (let at = 2; at <= text.length; at += 1) await typing(text[at - 1] ?? "", text.slice(0, at));
  for (let at = text.length - 1; at >= 1; at -= 1) await typing(BACKSPACE, text.slice(0, at));
}

console.log(`machine: ${machine()}`);
console.log(
  `${LOOPS} loops: first frame ${first.toFixed(0)} ms, first loops ${page.toFixed(0)} ms, all of them ${all.toFixed(0)} ms`,
);
console.log(`down, key to picture: ${percentiles(moves)}`);
console.log(`search, key to picture: ${percentiles(searches)}`);
console.log(`memory: ${memoryOf(terminal.pid())} MB`);
