/**
 * Edits a state file as an editor does, by a new file under the old name: sixty times, five milliseconds apart, each time
 * other values of the same fields. `again` reads the file before every edit; `once` only before the first.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const EDITS = 60;
const EVERY_MS = 5;
const [path = "", reads = ""] = process.argv.slice(2);
const read = () => JSON.parse(readFileSync(path, "utf8"));

const last: Record<string, unknown> = {};
let document = read();
for (let n = 0; n < EDITS; n++) {
  if (reads === "again") document = read();
  const edit: Record<string, unknown> = { notes: `note ${n}`, tags: [`tag ${n}`] };
  edit[`their_${n % 7}`] = n;
  if (n % 5 === 0) edit.title = `Title ${n}`;
  Object.assign(document, edit);
  Object.assign(last, edit);
  writeFileSync(`${path}.mine`, JSON.stringify(document));
  renameSync(`${path}.mine`, path);
  await sleep(EVERY_MS);
}
process.send?.(last);
process.disconnect();
