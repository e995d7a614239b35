/**
 * Records loops for the tests of the terminal interface: real runs of `ccw-loop` in the demo's shopping cart, by the
 * real Codex against a scripted model and by the scripted agent. Every line of a recording is one LiveEvent, in order;
 * paths and names of the machine are replaced.
 *   node apps/tui/scripts/record.ts [NAME…]
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SCENARIOS } from "./record/scenarios.ts";
import { studio } from "./record/studio.ts";

const folder = join(import.meta.dirname, "..", "test", "recorded");
const MOST_BYTES = 150 * 1024;

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(SCENARIOS, name));
if (unknown.length > 0) {
  const names = Object.keys(SCENARIOS).join(", ");
  console.error(`There is no scenario ${unknown.join(", ")}. There are: ${names}.`);
  process.exit(2);
}

await mkdir(folder, { recursive: true });
for (const [name, play] of Object.entries(SCENARIOS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  await using here = await studio();
  const id = await play(here);
  const text = await here.recording(id);
  if (text.length > MOST_BYTES) throw new Error(`${name} is too large: ${text.length} bytes.`);
  await writeFile(join(folder, `${name}.jsonl`), text);
  console.log(`${name.padEnd(20)} ${text.split("\n").length - 1} events, ${text.length} bytes`);
}
