import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MenuChoice, Workspace } from "@ccw-loop/core";
import { folderWorkspace } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { actions, bench, driven, plan, verifierThat, write } from "./support.ts";
import { type States, testsThat, verificationOf } from "./tests-that.ts";

const TURNS = [plan("one"), write("a.js", "1")];

describe("objections", () => {
  /** Tests that end in one way in place, and in another one in clean rooms; the start is green there. */
  const inRooms = (inPlace: States, there: States) => {
    const verifier = testsThat(inPlace);
    let rooms = 0;
    const { verify } = verifier;
    verifier.verify = async (...args) => {
      if (!args[1].room) return verify(...args);
      rooms += 1;
      // The verdict is made twice where it says no, then the start.
      return verificationOf(rooms % 3 === 0 ? inPlace : there);
    };
    return verifier;
  };
  const objecting = () => inRooms({ x: "passed" }, { x: "failed" });

  test("make a passing loop wait for a person, who accepts", async () => {
    const b = bench(TURNS, objecting());
    const { id, state: asking } = await driven(b, { description: "Add a flag" });
    expect(asking).toMatchObject({
      status: "running",
      waiting: { kind: "approval", about: "objections", options: ["accept", "reject"] },
    });
    expect(asking.waiting?.prompt).toContain("cart > x");
    await b.service.send(id, { type: "answer", text: "accept" });
    expect(await b.service.run(id)).toMatchObject({
      status: "completed",
      outcome: { code: "accepted" },
    });
    expect(await actions(b.store, id)).toEqual([
      ...["INIT", "DEVELOP", "VALIDATE(pass)", "COMPLETE(interrupted)", "COMPLETE"],
    ]);
  });

  test("that are rejected become work, and the proof is made again", async () => {
    const turns = [...TURNS, { ...write("a.js", "2"), expect: "Put right what a person rejected" }];
    const verifier = objecting();
    const b = bench(turns, verifier);
    const id = await b.start({ description: "Add a flag" });
    await b.service.run(id);
    await b.service.send(id, { type: "answer", text: "reject" });
    verifier.verify = testsThat({ x: "passed" }).verify;
    expect((await b.service.run(id)).status).toBe("completed");
    expect((await b.service.tasks(id)).map((task) => task.id)).toEqual(["task-001", "rejected-1"]);
  });

  test("name a file in which instrumentation was left", async () => {
    const turns = [plan("one"), write("a.js", "log(x); // ccw-probe\n")];
    const b = bench(turns, testsThat({ x: "passed" }));
    const { receipts, waiting } = await b.service.run(await b.start({ description: "Add a flag" }));
    expect(waiting?.about).toBe("objections");
    expect(receipts?.at(-1)?.objections).toMatchObject([{ kind: "instrumentation", path: "a.js" }]);
  });

  test("name the tests and the cell that raised them", async () => {
    const b = bench(TURNS, inRooms({ x: "passed", y: "passed" }, { x: "passed", y: "failed" }));
    const { receipts } = await b.service.run(await b.start({ description: "Add a flag" }));
    expect(receipts?.[0]?.objections).toMatchObject([{ kind: "verdict", tests: ["cart > y"] }]);
    expect(receipts?.[0]?.square?.cells).toMatchObject({
      verdict: { where: "clean_room", counts: { failed: 1 } },
      start: { where: "clean_room" },
      counterfactual: null,
    });
  });

  test("a feature for which no test fails without it is a question, unless behaviour must stay", async () => {
    const b = bench(TURNS, testsThat({ x: "passed" }));
    const asked = await b.service.run(await b.start({ settings: { expect: "change" } }));
    expect(asked.waiting?.prompt).toContain("No test fails without this change");
    const same = bench(TURNS, testsThat({ x: "passed" }));
    const state = await same.service.run(await same.start({ settings: { expect: "unchanged" } }));
    expect(state).toMatchObject({ status: "completed", outcome: { code: "proven" } });
  });

  test("a test that is set aside costs no iteration and ends in a question that names it", async () => {
    const red = { x: "failed", y: "passed" } as const;
    const first = {
      ...plan("one"),
      answer: { state_updates: { tasks: [{ description: "one" }], set_aside: ["cart > x"] } },
    };
    const b = bench([first, write("a.js", "1")], testsThat(red));
    const state = await b.service.run(await b.start({}));
    expect(state).toMatchObject({ current_iteration: 2, waiting: { about: "objections" } });
    expect(state.waiting?.prompt).toContain("cart > x");
  });

  test("a loop that changed nothing is not done, although the tests pass", async () => {
    const idle = { action: "DEVELOP", answer: { message: "All done, tests pass!" } };
    const b = bench([plan("one"), idle], testsThat({ x: "passed" }));
    const { state } = await driven(b, { description: "Add a flag" });
    expect(state.status).toBe("running");
    expect(state.waiting?.prompt).toContain("Nothing was changed since the loop began");
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
    expect(state.waiting?.prompt).toContain(
      "How files and tests were when the loop began is not known",
    );
  });

  test("in interactive mode the menu leads to the question", async () => {
    const b = bench(TURNS, objecting());
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
