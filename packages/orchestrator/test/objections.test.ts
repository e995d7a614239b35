import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Objection, Verifier } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { actions, bench, plan, write } from "./support.ts";
import { testsThat } from "./tests-that.ts";

const TURNS = [plan("one"), write("a.js", "1")];

const objection: Objection = {
  ...{ key: "skipped:a", kind: "skipped", path: "test/a.test.js", line: 3, text: "+ it.skip" },
  ...{ message: "A test is skipped now.", allowed: false },
};

describe("objections", () => {
  const objecting = (...found: Objection[]) => ({
    ...testsThat({ x: "passed" }),
    inspect: async () => found,
  });

  test("make a passing loop wait for a person, who accepts", async () => {
    const b = bench(TURNS, objecting(objection));
    const id = await b.start({ description: "Add a flag" });
    const asking = await b.service.run(id);
    expect(asking).toMatchObject({
      status: "running",
      waiting: { kind: "input", about: "objections", options: ["accept", "reject"] },
    });
    expect(asking.waiting?.prompt).toContain("test/a.test.js:3");
    await b.service.send(id, { type: "answer", text: "accept" });
    expect(await b.service.run(id)).toMatchObject({ status: "completed", accepted: ["skipped:a"] });
    expect(await actions(b.store, id)).toEqual([
      ...["INIT", "DEVELOP", "VALIDATE(pass)", "COMPLETE(interrupted)", "COMPLETE"],
    ]);
  });

  test("that are rejected become work, and the proof is made again", async () => {
    const turns = [...TURNS, { ...write("a.js", "2"), expect: "Put right what a person rejected" }];
    const verifier = objecting(objection);
    const b = bench(turns, verifier);
    const id = await b.start({ description: "Add a flag" });
    await b.service.run(id);
    await b.service.send(id, { type: "answer", text: "reject" });
    verifier.inspect = async () => [];
    expect((await b.service.run(id)).status).toBe("completed");
    expect((await b.service.tasks(id)).map((task) => task.id)).toEqual(["task-001", "rejected-1"]);
  });

  test("of paths that the operator allowed do not ask", async () => {
    const b = bench(TURNS, objecting(objection));
    const settings = { allow_test_changes: ["test"] };
    const id = await b.start({ description: "Add a flag", settings });
    const state = await b.service.run(id);
    expect(state.status).toBe("completed");
    expect(state.receipts?.[0]?.objections).toMatchObject([{ allowed: true }]);
  });

  test("are made of tests that do not run any more, and of runners that were replaced", async () => {
    const verifier = testsThat({ x: "passed", y: "passed" }, { x: "passed" });
    const { verify } = verifier;
    verifier.verify = async (...args) => {
      const run = await verify(...args);
      return { ...run, runners: { vitest: verifier.ran === 1 ? "as it was" : "patched" } };
    };
    const b = bench(TURNS, verifier);
    const id = await b.start({ description: "Add a flag" });
    const { receipts } = await b.service.run(id);
    expect(receipts?.[0]?.objections.map(({ kind, text }) => [kind, text])).toEqual([
      ["removed", "cart > y"],
      ["runner", "vitest"],
    ]);
  });

  test("a loop that changed nothing is not done, although the tests pass", async () => {
    const idle = { action: "DEVELOP", answer: { message: "All done, tests pass!" } };
    const b = bench([plan("one"), idle], testsThat({ x: "passed" }));
    const id = await b.start({ description: "Add a flag" });
    const state = await b.service.run(id);
    expect(state.status).toBe("running");
    expect(state.waiting?.prompt).toContain("Nothing was changed since the loop began");
  });

  test("an agent that cheats while it plans is compared with the files from before", async () => {
    const seen: string[] = [];
    const verifier = {
      ...testsThat({ x: "passed" }),
      inspect: async (changes: Parameters<Verifier["inspect"]>[0]) => {
        seen.push(...changes.map(({ path, before, after }) => `${path}: ${before} -> ${after}`));
        return [];
      },
    };
    const cheat = { ...plan("one"), steps: [{ write: { path: "a.test.js", content: "empty" } }] };
    const b = bench([cheat, write("a.js", "1")], verifier);
    writeFileSync(join(b.dir, "a.test.js"), "real");
    await b.service.run(await b.start({ description: "Add a flag" }));
    expect(seen).toEqual(["a.js: null -> 1", "a.test.js: real -> empty"]);
  });
});
