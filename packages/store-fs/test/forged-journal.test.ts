/** A journal that somebody wrote into: its sums vouch for nothing. */
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { LoopEvent, LoopState } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { fsStore } from "../src/index.ts";
import { journalText } from "../src/journal/journal.ts";
import { beginExternal as begin } from "./external.ts";
import { expectUnproven, proven } from "./forging.ts";
import { AT, BY, eventsOf, loopFile, noted } from "./loops.ts";

const lines = (text: string) => text.trimEnd().split("\n").length;

/** A line that fits its sum. */
const told = (revision: number, event: LoopEvent) =>
  journalText({ revision, actor: "orchestrator", op_id: `forged-${revision}`, events: [event] });

describe("a journal that somebody wrote into", () => {
  const forge = (state: LoopState): LoopEvent => ({
    type: "loop.recovered",
    at: AT,
    state: { ...(proven(state) as LoopState), notes: "forged" },
    unknown: [],
  });

  test("changes nothing of a loop whose history is there, and is written again", async () => {
    const { root, store, warnings } = await begin();
    const before = await store.read("a");
    const journal = loopFile(root, "a.journal.jsonl");
    const honest = readFileSync(journal, "utf8");
    appendFileSync(journal, told(1, forge(before.state)) + told(900, forge(before.state)));
    const { revision } = await store.append("a", 2, [noted("ours")], BY);
    expect(revision).toBe(3);
    expect(readFileSync(journal, "utf8").startsWith(honest)).toBe(true);
    expect(lines(readFileSync(journal, "utf8"))).toBe(lines(honest) + 1);
    expect(readFileSync(journal, "utf8")).not.toContain("forged");
    expect(warnings.join()).toContain("a.journal.jsonl.damaged-3");
    await store.close();
  });

  test("brings no proof to who looks for the first time, nor to a recovery", async () => {
    const { root, store } = await begin();
    const { state: before } = await store.read("a");
    await store.close();
    const journal = loopFile(root, "a.journal.jsonl");
    appendFileSync(journal, told(3, forge(before)) + told(4, forge(before)));
    const warnings: string[] = [];
    const later = fsStore({ root, onWarning: ({ message }) => warnings.push(message) });
    for (const look of [
      async () => (await later.recover("a", { dryRun: true, at: AT })).state,
      async () => (await later.read("a")).state,
      async () => (await later.recover("a", { dryRun: false, at: AT })).state,
    ]) {
      const state = await look();
      expectUnproven(state);
      expect(state.status).toBe("running");
    }
    expect(warnings.join()).toContain("revisions 3 to 4, but its history ends at revision 2");
    expect(readFileSync(journal, "utf8")).not.toContain('"proven"');
    await later.close();
  });

  test("tells no other events than the history, as far as that reaches", async () => {
    const { root, store } = await begin();
    const before = await eventsOf(store, "a");
    const journal = loopFile(root, "a.journal.jsonl");
    const { state } = await store.read("a");
    writeFileSync(journal, told(1, forge(state)) + told(2, forge(state)));
    expect(await eventsOf(store, "a")).toEqual(before);
    expect(await eventsOf(fsStore({ root }), "a")).toEqual(before);
    await store.close();
  });

  test("and that alone is left brings a loop that is paused and unproven", async () => {
    const { root, store } = await begin();
    const { state: before } = await store.read("a");
    await store.close();
    for (const name of ["a.history", "a.json", "a.progress", "a.tasks.jsonl"]) {
      rmSync(loopFile(root, name), { recursive: true });
    }
    appendFileSync(loopFile(root, "a.journal.jsonl"), told(3, forge(before)));
    const later = fsStore({ root });
    const recovery = await later.recover("a", { dryRun: false, at: AT });
    expectUnproven(recovery.state);
    expect(recovery).toMatchObject({ state: { status: "paused", notes: "forged" } });
    expect(recovery.unknown).toEqual(expect.arrayContaining(["status", "receipts", "baseline"]));
    expect(recovery.notes.join()).toContain("nothing of it is proven");
    await later.close();
  });
});
