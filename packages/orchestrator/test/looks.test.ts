import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { LoopError, NewTask, type Square } from "@ccw-loop/core";
import { memoryWorkspace } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { locateSquareFiles } from "../src/service/locate-square-files.ts";
import { bench, plan, verifierThat, write } from "./support.ts";

/**
 * A bench, and what is done to its files in order: `look` where they are named anew, `turn` of the agent, `run` of the tests
 * in the project.
 */
function traced(...[turns, verifier]: Parameters<typeof bench>) {
  const trace: string[] = [];
  const b = bench(turns, verifier);
  const { tree, checkpoint, restore } = b.workspace;
  b.workspace.tree = (...args) => {
    trace.push("look");
    return tree(...args);
  };
  b.workspace.checkpoint = (id, n, message, options) => {
    if (options?.looked === undefined) trace.push("look");
    return checkpoint(id, n, message, options);
  };
  b.workspace.restore = (...args) => {
    trace.push("restore");
    return restore(...args);
  };
  const { verify } = verifier;
  verifier.verify = (tests, options) => {
    if (!options.room) trace.push("run");
    return verify(tests, options);
  };
  const run = (id: string) =>
    b.service.run(id, {
      onEvent: (live) => {
        if (live.kind !== "activity" || live.activity.event.type !== "prompt.sent") return;
        trace.push("turn");
      },
    });
  return { ...b, run, trace };
}

describe("the files of a loop are looked at once", () => {
  // Behind each turn and each run; and once more before the next, for what others change is nobody's work.
  const edit = ["look", "turn", "look", "look", "run", "look"];
  const end = ["look"];

  test("where nothing ran before the baseline, and behind it", async () => {
    const b = traced([write("a.js", "1")], verifierThat("pass"));
    const id = await b.start();
    const task = NewTask.parse({ id: "one", description: "one" });
    await b.service.send(id, { type: "add_task", task });
    expect((await b.run(id)).status).toBe("completed");
    expect(b.trace).toEqual(["look", "run", "look", ...edit, ...end]);
  });

  test("behind a turn that plans", async () => {
    const b = traced([plan("one"), write("a.js", "1")], verifierThat("pass"));
    expect((await b.run(await b.start())).status).toBe("completed");
    expect(b.trace).toEqual(["look", "run", "look", "turn", "look", ...edit, ...end]);
  });

  test("for a waiver, and for a baseline without tests", async () => {
    const b = traced([plan("one"), write("a.js", "1")], verifierThat(null));
    const id = await b.start({ settings: { waive_tests: "There are none." } });
    expect((await b.run(id)).outcome?.code).toBe("waived");
    const waived = edit.slice(0, edit.indexOf("run"));
    expect(b.trace).toEqual(["look", "turn", "look", ...waived, ...end]);
  });

  test("behind a rewind that leaves files as they are", async () => {
    const turns = [plan("one", "two"), write("a.js", "1"), write("b.js", "2")];
    const b = traced(turns, verifierThat("pass"));
    const id = await b.start();
    await b.run(id);
    writeFileSync(join(b.dir, "mine.js"), "mine");
    const { left } = await b.service.rewind(id, 2);
    expect(left).toEqual(["mine.js"]);
    expect(b.trace.slice(b.trace.indexOf("restore"))).toEqual(["restore", "look"]);
  });
});

test("a receipt is verified in a clone by the files that were compared with it", async () => {
  const workspace = memoryWorkspace(new Map([["a.js", "1"]]));
  const tree = await workspace.tree();
  const looked: unknown[] = [];
  const { checkpoint } = workspace;
  workspace.checkpoint = (id, n, message, options) => {
    looked.push(options?.looked);
    return checkpoint(id, n, message, options);
  };
  // As where no checkpoint of the loop was fetched.
  workspace.paths = () => Promise.reject(new LoopError("invalid_input", "It is not here."));
  workspace.commitOf = async (name) => name;
  const end = { commit: "elsewhere", tree };
  const square = { start: end, present: end, outside: [] as string[] } as Square;
  const found = await locateSquareFiles(workspace, square, { loop: "a", isThere: true });
  expect(found).toMatchObject({ ends: { present: { tree } }, changes: [] });
  expect(looked).toEqual([tree]);
});
