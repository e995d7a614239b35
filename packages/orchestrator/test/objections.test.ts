import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MenuChoice, Objection, Verifier, Workspace } from "@ccw-loop/core";
import { folderWorkspace } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { foremost } from "../src/proof/changed-files.ts";
import { afterCommit, isStart } from "./interfere.ts";
import { actions, bench, plan, verifierThat, write } from "./support.ts";
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
      waiting: { kind: "approval", about: "objections", options: ["accept", "reject"] },
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

  test("what the tests themselves write is no work of the loop", async () => {
    const idle = { action: "DEVELOP", answer: { message: "All done, tests pass!" } };
    const verifier = testsThat({ x: "passed" });
    const b = bench([plan("one"), idle], verifier);
    const { verify } = verifier;
    verifier.verify = async (...args) => {
      writeFileSync(join(b.dir, "report.txt"), "the same each time");
      return verify(...args);
    };
    const state = await b.service.run(await b.start({ description: "Add a flag" }));
    expect(state.waiting?.prompt).toContain("Nothing was changed since the loop began");
  });

  test("a start that could not be kept is one", async () => {
    let folder: Workspace | undefined;
    const forgetful = (dir: string) => {
      const made = folderWorkspace(dir);
      const { checkpoint } = made;
      made.checkpoint = async (id, n, message) => {
        if (message.includes("start")) throw new Error("The disk is full.");
        return checkpoint(id, n, message);
      };
      return made;
    };
    const b = bench(TURNS, testsThat({ x: "passed" }), {
      workspace: async (dir) => (folder ??= forgetful(dir)),
    });
    const state = await b.service.run(await b.start({ description: "Add a flag" }));
    expect(state.waiting?.prompt).toContain("How the files were when the loop began is not known");
  });

  test("more changed files than are looked into are one, and those from before come first", async () => {
    const added = ["a/b/1", "a/2", "3"].map((path) => ({ path, kind: "added" as const }));
    const old = { path: "z/y/x", kind: "modified" as const };
    expect(foremost([...added, old], 2).map(({ path }) => path)).toEqual(["z/y/x", "3"]);
    expect(foremost([...added, old], 4)).toEqual([...added, old]);
    const b = bench(TURNS, testsThat({ x: "passed" }));
    const id = await b.start({ description: "Add a flag" });
    afterCommit(b.store, isStart("DEVELOP"), () => {
      for (let n = 0; n < 5000; n++) writeFileSync(join(b.dir, `file-${n}`), "");
    });
    const { receipts } = await b.service.run(id);
    expect(receipts?.[0]?.objections.map(({ key }) => key)).toEqual(["not_looked_at:5001"]);
  });

  test("in interactive mode the menu leads to the question", async () => {
    const b = bench(TURNS, objecting(objection));
    const id = await b.start({ description: "Add a flag", settings: { mode: "interactive" } });
    const choices: MenuChoice[] = ["complete", "validate", "develop"];
    const offered: (boolean | undefined)[] = [];
    const state = await b.service.run(id, {
      choose: async ({ options }) => {
        offered.push(options.find(({ key }) => key === "complete")?.available);
        return choices.pop() ?? "exit";
      },
    });
    expect(offered).toEqual([false, false, true]);
    expect(state.waiting).toMatchObject({ about: "objections" });
  });

  test("a waiver of the tests is none of the work", async () => {
    const idle = { action: "DEVELOP", answer: { message: "All done!" } };
    const b = bench([plan("one"), idle], verifierThat(null));
    const id = await b.start({ settings: { waive_tests: "There are none." } });
    const { waiting } = await b.service.run(id);
    expect(waiting?.prompt).toMatch(/^The tests are waived, but .*\n- Nothing was changed/);
    await b.service.send(id, { type: "answer", text: "accept" });
    expect((await b.service.run(id)).outcome?.code).toBe("waived");
  });
});
