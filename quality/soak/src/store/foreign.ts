import { fork } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { join } from "node:path";
import { isLoopError, LoopState } from "@ccw-loop/core";
import { fsStore } from "@ccw-loop/store-fs";
import { exchangeCall } from "../../../../packages/store-fs/src/fs/replace.ts";
import { removeFolder, temporaryFolder } from "../../../support/folders.ts";
import { type Outcome, unmetNeeds } from "../../../support/runs.ts";

/** Edits per loop, so that the states stay small. */
export const EACH = 100;
export const EVERY_MS = 4;
/** The ways of writing, by turns. */
export const WAYS = ["rename", "in place", "sponge"] as const;
const EDITOR = join(import.meta.dirname, "editor.ts");
const at = "2026-01-22T10:00:00.000Z";

interface Counts {
  edits: number;
  /** By the way in which they were written. */
  imported: number[];
  aside: number;
  commits: number;
  lost: string[];
}

/**
 * Another program (editor.ts) edits state files while we commit to them all the time: by renaming a new file over the old
 * one, by writing in place, and as `jq … | sponge` does; some edits wait in the middle. Every edit adds a field of its own;
 * afterwards each has to be in the state or in a file that was kept aside.
 */
export async function foreignEdits(count: number): Promise<Outcome> {
  const root = temporaryFolder("foreign");
  const counts: Counts = { edits: 0, imported: [0, 0, 0], aside: 0, commits: 0, lost: [] };
  for (let n = 0; n < Math.ceil(count / EACH); n++) await beside(root, `a-${n}`, counts);
  removeFolder(root);
  const { edits, aside, commits, lost } = counts;
  const imported = counts.imported.reduce((sum, one) => sum + one, 0);
  const taken = WAYS.map((way, n) => ({
    what: `edit taken in (${way})`,
    count: counts.imported[n] ?? 0,
    onceIn: 10,
  }));
  const needs = [{ what: "commit beside the edits", count: commits, onceIn: 2 }, ...taken];
  const exchange = exchangeCall() ? "by the system's call" : "not there: renamed over";
  return {
    problems: [...lost.map((one) => `Lost: ${one}.`), ...unmetNeeds(needs, edits, "edits")],
    figures: `Exchange: ${exchange}. Beside ${commits} commits of ours, one foreign edit every ${EVERY_MS} ms.`,
    last: `edits: ${edits}, imported: ${imported}, kept aside: ${aside}, lost: ${lost.length}`,
  };
}

async function beside(root: string, id: string, counts: Counts): Promise<void> {
  const store = fsStore({ root });
  const title = "Edited by others";
  const loop = { loop_id: id, title, status: "running", created_at: at, updated_at: at };
  let { revision } = await store.create(LoopState.parse(loop), { actor: "soak" });
  const path = join(root, ".workflow/.loop", `${id}.json`);
  const child = fork(EDITOR, [path], { stdio: "inherit" });
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
  const copies = fs.readdirSync(folder).filter((name) => name.startsWith(`${id}.json.`));
  const aside = copies.map((name) => fs.readFileSync(join(folder, name), "utf8")).join("\n");
  for (let n = 0; n < EACH; n++) {
    counts.edits += 1;
    const way = n % WAYS.length;
    if (`e${n}` in state) counts.imported[way] = (counts.imported[way] ?? 0) + 1;
    else if (aside.includes(`"e${n}"`)) counts.aside += 1;
    else counts.lost.push(`${id} e${n} (${WAYS[n % WAYS.length]})`);
  }
}
