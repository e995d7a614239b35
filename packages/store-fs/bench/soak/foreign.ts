/**
 * Another program edits state files while we commit to them all the time: by renaming a new file over the old
 * one, by writing in place, and as `jq … | sponge` does; some writers stand still in the middle. Every edit adds a
 * field of its own; afterwards each has to be in the state or in a file that was kept aside.
 * Run it with: node packages/store-fs/bench/soak/foreign.ts [edits]
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isLoopError, LoopState } from "@ccw-loop/core";
import { tooFew } from "../../../../quality/too-few.ts";
import { exchangeCall } from "../../src/fs/replace.ts";
import { fsStore } from "../../src/index.ts";

/** Edits per loop, so that the states stay small. */
const EACH = 100;
const EVERY_MS = 4;
const at = "2026-01-22T10:00:00.000Z";
/** One edit in so many stands still for so long, when it has emptied the file and not written yet. */
const STILL_EVERY = 50;
const STILL_MS = 1500;
const WAYS = ["rename", "in place", "sponge"] as const;

if (process.send) await edit(process.argv[2] ?? "");
else await measure(Math.ceil(Number(process.argv[2] ?? 3000) / EACH));

async function measure(loops: number): Promise<void> {
  const root = fs.mkdtempSync(join(tmpdir(), "ccw-loop-foreign-"));
  const counts: Counts = { edits: 0, imported: [0, 0, 0], aside: 0, commits: 0, lost: [] };
  for (let n = 0; n < loops; n++) await beside(root, `a-${n}`, counts);
  fs.rmSync(root, { recursive: true, force: true });
  const { edits, aside, commits, lost } = counts;
  const imported = counts.imported.reduce((sum, one) => sum + one, 0);
  const needs = [
    { what: "commit beside the edits", count: commits, onceIn: 2 },
    ...WAYS.map((way, n) => ({
      what: `edit taken in (${way})`,
      count: counts.imported[n] ?? 0,
      onceIn: 10,
    })),
  ];
  const missing = tooFew(needs, edits, "edits");
  for (const sentence of missing) console.log(sentence);
  process.stdout.write(
    [
      `exchange    ${exchangeCall() ? "by the system's call" : "not there: renamed over"}`,
      `beside      ${commits} commits of ours, one foreign edit every ${EVERY_MS} ms`,
      `edits: ${edits}, imported: ${imported}, kept aside: ${aside}, lost: ${lost.length}`,
      "",
    ].join("\n"),
  );
  if (lost.length > 0) process.stdout.write(`lost: ${lost.join(", ")}\n`);
  process.exitCode = lost.length > 0 || missing.length > 0 ? 1 : 0;
}

interface Counts {
  edits: number;
  /** By the way in which they were written. */
  imported: number[];
  aside: number;
  commits: number;
  lost: string[];
}

async function beside(root: string, id: string, counts: Counts): Promise<void> {
  const store = fsStore({ root });
  const title = "Edited by others";
  const loop = { loop_id: id, title, status: "running", created_at: at, updated_at: at };
  let { revision } = await store.create(LoopState.parse(loop), { actor: "soak" });
  const path = join(root, ".workflow/.loop", `${id}.json`);
  const child = fork(import.meta.filename, [path], { stdio: "inherit" });
  let running = true;
  const ended = once(child, "exit").then(([code]) => {
    running = false;
    if (code !== 0) throw new Error(`The editor ended with ${code}.`);
  });
  for (let n = 0; running; n++) {
    try {
      const changes = { notes: `ours ${n}` };
      const events = [{ type: "loop.edited" as const, at, changes }];
      ({ revision } = await store.append(id, revision, events, { actor: "soak" }));
      counts.commits += 1;
    } catch (error) {
      if (!isLoopError(error, "revision_conflict")) throw error;
      ({ revision } = await store.read(id));
    }
  }
  await ended;
  // What is written into a document that was just replaced is taken in a moment later, at the latest here.
  await store.close();
  const later = fsStore({ root });
  const { state } = await later.read(id);
  await later.close();
  const folder = join(root, ".workflow/.loop");
  const beside = fs.readdirSync(folder).filter((name) => name.startsWith(`${id}.json.`));
  const aside = beside.map((name) => fs.readFileSync(join(folder, name), "utf8")).join("\n");
  for (let n = 0; n < EACH; n++) {
    counts.edits += 1;
    const way = n % WAYS.length;
    if (`e${n}` in state) counts.imported[way] = (counts.imported[way] ?? 0) + 1;
    else if (aside.includes(`"e${n}"`)) counts.aside += 1;
    else counts.lost.push(`${id} e${n} (${WAYS[n % WAYS.length]})`);
  }
}

/** The other program: adds `EACH` fields to the document, each on top of what it just read. */
async function edit(path: string): Promise<void> {
  for (let n = 0; n < EACH; n++) {
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    const text = JSON.stringify({ ...JSON.parse(fs.readFileSync(path, "utf8")), [`e${n}`]: n });
    switch (WAYS[n % WAYS.length]) {
      case "rename":
        fs.writeFileSync(`${path}.mine`, text);
        fs.renameSync(`${path}.mine`, path);
        break;
      case "in place": {
        const fd = fs.openSync(path, "w");
        if (n % STILL_EVERY === 1) await new Promise((resolve) => setTimeout(resolve, STILL_MS));
        fs.writeSync(fd, text);
        fs.closeSync(fd);
        break;
      }
      default: {
        const fd = fs.openSync(path, "w");
        fs.writeSync(fd, text.slice(0, text.length >> 1));
        fs.writeSync(fd, text.slice(text.length >> 1));
        fs.closeSync(fd);
      }
    }
  }
}
