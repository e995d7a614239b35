/**
 * Another program reads and parses the state file without a pause while we commit to it.
 * Run it with: node packages/store-fs/bench/soak/readers.ts [reads]
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tooFew } from "../../../../quality/too-few.ts";
import { fsStore } from "../../src/index.ts";
import { BY, newLoop, noted } from "../../test/loops.ts";

const wanted = Number(process.argv[2] ?? 1_000_000);
const root = fs.mkdtempSync(join(tmpdir(), "ccw-loop-readers-"));
const store = fsStore({ root });
let { revision } = await store.create(newLoop("a"), BY);
const reader = fork(join(import.meta.dirname, "../../test/children/plain-reader.ts"), [
  join(root, ".workflow/.loop/a.json"),
  String(wanted),
]);
const answer = once(reader, "message");
let reading = true;
void answer.then(() => {
  reading = false;
});
for (let n = 0; reading; n++) {
  ({ revision } = await store.append("a", revision, [noted(`${n}`)], BY));
}
const [{ reads, newest, problems }] = await answer;
await store.close();
fs.rmSync(root, { recursive: true, force: true });
const needs = [
  { what: "commit beside the readings", count: revision, onceIn: 2000 },
  { what: "revision that the reader came to", count: newest, onceIn: 4000 },
];
const missing = tooFew(needs, reads, "readings");
for (const sentence of missing) console.log(sentence);
process.stdout.write(
  `commits: ${revision}, reads: ${reads}, up to revision ${newest}, torn: ${problems.length}\n`,
);
process.exitCode = problems.length === 0 && missing.length === 0 ? 0 : 1;
