import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  hasPassed,
  type LoopEvent,
  type LoopState,
  type Receipt,
  SkillState,
  type Verifier,
} from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import {
  actions,
  type Bench,
  bench,
  debug,
  journal,
  plan,
  verifierThat,
  write,
} from "./support.ts";
import { testsThat, verificationOf } from "./tests-that.ts";

const TURNS = [plan("one"), write("a.js", "1")];

describe("a receipt", () => {
  async function completed() {
    const verifier = testsThat({ x: "passed" });
    const b = bench(TURNS, verifier);
    const id = await b.start({ description: "Add a flag" });
    await b.service.run(id);
    return { b, id, verifier };
  }
  const kinds = async ({ b, id }: Awaited<ReturnType<typeof completed>>) =>
    (await b.service.verify(id)).problems.map(({ kind }) => kind);

  test("stands when nothing happened since, and its square comes to the same in clean rooms", async () => {
    const { b, id } = await completed();
    expect(await b.service.verify(id)).toMatchObject({ result: "stands", problems: [] });
  });

  test("of other files does not, and they are named", async () => {
    const done = await completed();
    writeFileSync(join(done.b.dir, "a.js"), "2");
    const { problems } = await done.b.service.verify(done.id);
    expect(problems).toMatchObject([{ kind: "tree", details: ["modified: a.js"] }]);
  });

  test("whose tests end otherwise does not", async () => {
    const done = await completed();
    done.verifier.verify = async () => verificationOf({ x: "failed" });
    // The present tests, and those of the start with the present sources.
    expect(await kinds(done)).toEqual(["result", "result"]);
  });

  test("that was edited does not, also when its digest was made to fit", async () => {
    const done = await completed();
    const { state, revision } = await done.b.store.read(done.id);
    const edit = (reason: string) => (state.receipts ?? []).map((r) => ({ ...r, reason }));
    const at = new Date().toISOString();
    const edited = { ...state, receipts: edit("All is well.") };
    const options = { actor: "forger" };
    const event = { type: "external.edited" as const, at, state: edited };
    await done.b.store.append(done.id, revision, [event], options);
    expect(await kinds(done)).toEqual(["receipt"]);
  });

  test("of another key cannot be told, and nothing is run", async () => {
    const done = await completed();
    const sealKey = async () => new Uint8Array(32);
    const { service } = bench(TURNS, done.verifier, { store: done.b.store, sealKey });
    const before = done.verifier.ran;
    const { result, problems } = await service.verify(done.id);
    expect([result, done.verifier.ran]).toEqual(["unknown", before]);
    expect(problems).toMatchObject([
      { kind: "missing", message: expect.stringContaining("another key") },
    ]);
  });

  test("that was never given cannot be checked", async () => {
    const b = bench(TURNS, testsThat({ x: "passed" }));
    const id = await b.start();
    await expect(b.service.verify(id)).rejects.toThrow("has no receipt");
  });
});

test("a failure with files that changed behind a pass is a failure, not a flaky test", async () => {
  const verifier = verifierThat("pass", "fail", "fail", "pass");
  let dir = "";
  const changing: Verifier = {
    ...verifier,
    async verify(testPlan, options) {
      const ran = await verifier.verify(testPlan, options);
      if (verifier.ran === 1) writeFileSync(join(dir, "theirs.js"), "broken");
      return ran;
    },
  };
  const b = bench([plan("one"), write("a.js", "1"), debug(), write("a.js", "2")], changing);
  dir = b.dir;
  const id = await b.start({ max_iterations: 3 });
  await b.service.run(id);
  expect((await actions(b.store, id)).slice(0, 3)).toEqual(["INIT", "DEVELOP", "VALIDATE(fail)"]);
});

describe("a loop whose history somebody else writes", () => {
  const outcome = { code: "proven", message: "Proven." };

  /** What a loop with the same work and passing tests got, with one word changed. */
  async function editedReceipt(): Promise<Receipt> {
    const b = bench(TURNS, testsThat({ x: "passed" }));
    const id = await b.start({ description: "Add a flag" });
    await b.service.run(id);
    const [receipt] = (await b.store.read(id)).state.receipts ?? [];
    if (!receipt) throw new TypeError("A loop that ended has a receipt.");
    return { ...receipt, reason: "All is well." };
  }

  async function forge({ store }: Bench, id: string, changes: Partial<LoopState>) {
    const { state, revision } = await store.read(id);
    const event: LoopEvent = {
      type: "external.edited",
      at: new Date().toISOString(),
      state: { ...state, ...changes },
    };
    await store.append(id, revision, [event], { actor: "forger" });
  }

  const typesOf = async ({ store }: Bench, id: string) =>
    (await journal(store, id)).map(({ event }) => event.type);

  test("is open again where that says that it is completed", async () => {
    const receipt = await editedReceipt();
    const verifier = testsThat({ x: "failed" });
    const { verify } = verifier;
    const b = bench(TURNS, verifier);
    const id = await b.start({ description: "Add a flag" });
    verifier.verify = async (...about) => {
      const run = await verify(...about);
      if (verifier.ran === 2)
        await forge(b, id, { status: "completed", outcome, receipts: [receipt] });
      return run;
    };
    const state = await b.service.run(id);
    expect(await typesOf(b, id)).toContain("receipt.refused");
    expect(state.status).toBe("paused");
    expect(state).not.toHaveProperty("outcome");
    expect(hasPassed(state)).toBe(false);
  });

  test("has its tests run where that says that they passed", async () => {
    const receipt = await editedReceipt();
    const b = bench([...TURNS, debug()], testsThat({ x: "failed" }));
    const id = await b.start({ description: "Add a flag", max_iterations: 3 });
    const pause = new AbortController();
    await b.service.run(id, {
      signal: pause.signal,
      onEvent(live) {
        if (live.kind === "recorded" && live.recorded.event.type === "action.completed")
          if (live.recorded.event.action === "DEVELOP") pause.abort();
      },
    });
    const { state: paused } = await b.store.read(id);
    expect(paused.status).toBe("paused");
    const skill = SkillState.parse(paused.skill_state);
    const passed = { ...skill.validate, passed: true, stale: false };
    const tree_after = paused.workspace?.seen ?? null;
    await forge(b, id, {
      skill_state: { ...skill, validate: passed },
      receipts: [{ ...receipt, tree_after }],
    });
    expect(hasPassed((await b.store.read(id)).state)).toBe(true);
    const state = await b.service.run(id);
    expect(await typesOf(b, id)).toContain("receipt.refused");
    expect(state.receipts?.at(-1)).toMatchObject({ passed: false });
    expect(state.status).toBe("failed");
  });
});
