import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LiveEvent, LoopEvent, LoopState, Verifier } from "@ccw-loop/core";
import { folderWorkspace } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import type { LoopServiceOptions } from "../src/index.ts";
import { realFiles } from "../src/project-files.ts";
import { actions, bench, journal, plan, type Turns, write } from "./support.ts";
import { testsThat, verificationOf } from "./tests-that.ts";

const PASSES = () => testsThat({ x: "passed" });
const noop = {
  action: "DEVELOP",
  answer: { message: "done", state_updates: { summary: "nothing" } },
};

/** Runs a new loop, and does `act` right behind every commit of it. */
async function runWith(
  turns: Turns,
  act: (event: LoopEvent, dir: string) => void,
  {
    verifier = PASSES(),
    texts = {},
    ...changes
  }: Partial<LoopServiceOptions> & { texts?: Record<string, string> } = {},
) {
  const b = bench(turns, verifier, changes);
  for (const [path, text] of Object.entries(texts)) writeFileSync(join(b.dir, path), text);
  const id = await b.start({ max_iterations: 8 });
  const onEvent = (live: LiveEvent) => {
    if (live.kind === "recorded") act(live.recorded.event, b.dir);
  };
  const state = await b.service.run(id, { onEvent });
  return { b, id, state, onEvent };
}

const ends = (event: LoopEvent, action: string) =>
  event.type === "action.completed" && event.action === action;

const filesOf = ({ skill_state }: LoopState) =>
  skill_state?.develop.tasks.map(({ files_changed }) => files_changed);

async function recorded<T extends LoopEvent["type"]>(
  { b, id }: Awaited<ReturnType<typeof runWith>>,
  type: T,
): Promise<Extract<LoopEvent, { type: T }>[]> {
  const events = (await journal(b.store, id)).map(({ event }) => event);
  return events.filter((event): event is Extract<LoopEvent, { type: T }> => event.type === type);
}

test("what changes between two actions is credited to none, and has a place of its own in the timeline", async () => {
  const ran = await runWith(
    [plan("one", "two"), write("a.js", "1"), write("b.js", "2")],
    (event, dir) => {
      if (ends(event, "INIT")) writeFileSync(join(dir, "theirs.js"), "1");
    },
  );
  expect(ran.state.status).toBe("completed");
  expect(filesOf(ran.state)).toEqual([["a.js"], ["b.js"]]);
  expect(await recorded(ran, "workspace.changed")).toMatchObject([
    { files: [{ path: "theirs.js", kind: "added" }], total: 1, driven: true, outdates: false },
  ]);
  const timeline = await ran.b.service.timeline(ran.id);
  expect(
    timeline.map(({ action, checkpoint, diffstat }) => [action, checkpoint, diffstat?.files]),
  ).toEqual([
    ["INIT", 1, 0],
    [null, 2, 1],
    ["DEVELOP", 3, 1],
    ["DEVELOP", 4, 1],
    ["VALIDATE", 5, 0],
    ["COMPLETE", null, undefined],
  ]);
});

test("a loop that does nothing is not proven by what somebody else does meanwhile", async () => {
  const { state } = await runWith([plan("one"), noop], (event, dir) => {
    if (ends(event, "DEVELOP")) writeFileSync(join(dir, "theirs.js"), "1");
  });
  expect(state).toMatchObject({ status: "running", waiting: { about: "objections" } });
  expect(state.receipts?.at(-1)?.objections).toMatchObject([
    {
      kind: "nothing_changed",
      message: expect.stringMatching(/^This loop changed nothing.*theirs\.js/),
    },
  ]);
});

test.each<[string, string, string]>([
  ["in a folder that holds nothing else", "out", "completed"],
  ["that pile up in a folder that holds nothing else", "piled", "completed"],
  // Somebody's new test file could be one of them.
  ["beside files of the project", ".", "running"],
])("new files of other names in each run, %s", async (_, folder, status) => {
  let dir = "";
  let [runs, newest]: [number, string | null] = [0, null];
  const verifier = PASSES();
  const { verify } = verifier;
  const writes: Verifier = {
    ...verifier,
    verify: async (plan, options) => {
      if (!options.room) {
        if (newest !== null && folder !== "piled") rmSync(newest);
        runs += 1;
        mkdirSync(join(dir, folder), { recursive: true });
        newest = join(dir, folder, `${runs}.json`);
        writeFileSync(newest, "{}");
      }
      return verify(plan, options);
    },
  };
  const b = bench([plan("one"), write("a.js", "1")], writes);
  ({ dir } = b);
  const state = await b.service.run(await b.start({ max_iterations: 4 }));
  expect(state.status, state.waiting?.prompt).toBe(status);
});

describe("tests that somebody changes meanwhile", () => {
  /** One test, which passes where the source is what the file of the test says. */
  const comparing: Verifier = {
    ...PASSES(),
    async verify(_plan, { cwd }) {
      const text = (path: string) => readFileSync(join(cwd, path), "utf8");
      return verificationOf({ x: text("a.js") === text("x.test.js") ? "passed" : "failed" });
    },
  };
  const ran = (a: string, change: (dir: string) => void) =>
    runWith(
      [plan("one"), write("a.js", a)],
      (event, dir) => {
        if (ends(event, "DEVELOP")) change(dir);
      },
      { verifier: comparing, texts: { "a.js": "wrong", "x.test.js": "right" } },
    );

  test("prove nothing by themselves", async () => {
    const { state } = await ran("other", (dir) => writeFileSync(join(dir, "x.test.js"), "other"));
    expect(state).toMatchObject({ status: "running", waiting: { about: "objections" } });
    expect(state.receipts?.at(-1)?.objections).toMatchObject([
      { kind: "doubtful", message: expect.stringContaining("x.test.js") },
    ]);
  });

  test("are in no room where the work passes without them", async () => {
    const { state } = await ran("right", (dir) => writeFileSync(join(dir, "y.test.js"), "other"));
    expect(state.status).toBe("completed");
    expect(state.receipts?.at(-1)?.square?.outside).toEqual(["y.test.js"]);
  });
});

test("work on a file that somebody else changed as well is work, where the agent says it did it", async () => {
  const says = (files_updated: { path: string; description: string }[]) => {
    const { answer, ...one } = write("a.js", "1");
    return runWith(
      [plan("one"), { ...one, answer: { ...answer, files_updated } }],
      (event, dir) => {
        if (ends(event, "DEVELOP")) writeFileSync(join(dir, "a.js"), "2");
      },
    );
  };
  const claimed = await says([{ path: "a.js", description: "written" }]);
  expect(claimed.state.status).toBe("completed");
  const silent = await says([]);
  expect(silent.state.waiting?.about).toBe("objections");
});

test("an action that was paused is credited with both of its attempts, and with nothing between them", async () => {
  const half = {
    action: "DEVELOP",
    once: true,
    steps: [{ write: { path: "half.js", content: "half" } }, { run: "sleep 60" }],
    answer: {},
  };
  const b = bench([plan("one"), half, write("whole.js", "whole")], PASSES());
  const id = await b.start();
  await b.service.run(id, {
    onEvent: (live) => {
      const isAsleep = live.kind === "activity" && live.activity.event.type === "command.started";
      if (isAsleep) void b.service.send(id, { type: "pause" });
    },
  });
  writeFileSync(join(b.dir, "theirs.js"), "1");
  const state = await b.service.run(id);
  expect(state.status).toBe("completed");
  expect(filesOf(state)).toEqual([["half.js", "whole.js"]]);
  expect((await b.service.rewind(id, 0)).left).toEqual(["theirs.js"]);
  expect(readFileSync(join(b.dir, "theirs.js"), "utf8")).toBe("1");
});

describe("a file that changes all the time", () => {
  /** Somebody's log of everything that happens. */
  const logs = (_: LoopEvent, dir: string) => appendFileSync(join(dir, "all.log"), "more\n");
  const tests = (done: readonly string[]) => done.filter((one) => one.startsWith("VALIDATE"));

  test("is left out when the tests pass without it: the loop ends, and its receipt names it", async () => {
    const ran = await runWith([plan("one"), write("a.js", "1")], logs);
    expect(ran.state).toMatchObject({ status: "completed", outcome: { code: "proven" } });
    expect(ran.state.receipts?.at(-1)).toMatchObject({ left_out: ["all.log"], objections: [] });
    expect(ran.state.workspace?.left_out).toEqual([{ path: "all.log", why: "restless" }]);
    expect(await recorded(ran, "files.left_out")).toHaveLength(1);
    expect(tests(await actions(ran.b.store, ran.id)).length).toBeLessThanOrEqual(2);
    appendFileSync(join(ran.b.dir, "all.log"), "later\n");
    expect((await ran.b.service.verify(ran.id)).problems).toEqual([]);
  });

  test("costs no run of its own where the clean room shows that the tests pass without it", async () => {
    const inPlace = async (act: (event: LoopEvent, dir: string) => void) => {
      const passes = PASSES();
      let ran = 0;
      const verify: Verifier["verify"] = (...given) => {
        ran += 1;
        return passes.verify(...given);
      };
      const verifier = { ...passes, verify };
      const { state } = await runWith([plan("one"), write("a.js", "1")], act, { verifier });
      expect(state.outcome?.code).toBe("proven");
      return ran - tested(state);
    };
    const tested = ({ receipts = [] }: LoopState) =>
      receipts.reduce((sum, { runs = 1 }) => sum + runs, 0);
    expect(await inPlace(logs)).toBe(await inPlace(() => undefined));
  });

  test("is no work of a loop that does nothing else", async () => {
    const { state } = await runWith([plan("one"), noop], logs);
    expect(state.waiting?.about).toBe("objections");
    expect(state.receipts?.at(-1)?.objections).toMatchObject([{ kind: "nothing_changed" }]);
  });

  /** Tests that need the log: they fail in every other folder. */
  function needing(dir: () => string): Verifier {
    const [passes, fails] = [PASSES(), testsThat({ x: "failed" })];
    return {
      ...passes,
      verify: (given, options) => (options.cwd === dir() ? passes : fails).verify(given, options),
    };
  }

  test("is left out in a clean room, as every other run of the proof", async () => {
    let folder = "";
    const elsewhere: unknown[] = [];
    const verifier = needing(() => folder);
    const ran = await runWith(
      [plan("one"), write("a.js", "1")],
      (event, dir) => {
        folder = dir;
        logs(event, dir);
      },
      {
        verifier: {
          ...verifier,
          verify: (given, options) => {
            if (options.cwd !== folder) elsewhere.push(options.room);
            return verifier.verify(given, options);
          },
        },
      },
    );
    expect(ran.state.waiting?.about).toBe("files");
    expect(elsewhere.length).toBeGreaterThan(1);
    expect(elsewhere).not.toContain(undefined);
  });

  test("is asked about once when the tests need it, and measured again when it came to rest", async () => {
    let folder = "";
    let rests = false;
    const act = (event: LoopEvent, dir: string) => {
      folder = dir;
      if (!rests) logs(event, dir);
    };
    const ran = await runWith([plan("one"), write("a.js", "1")], act, {
      verifier: needing(() => folder),
    });
    expect(ran.state.waiting).toMatchObject({ kind: "input", about: "files", options: ["again"] });
    expect(ran.state.waiting?.prompt).toContain("all.log changes while nothing of this loop runs");
    rests = true;
    const { service } = ran.b;
    await service.send(ran.id, { type: "answer", text: "again" });
    const state = await service.run(ran.id, { onEvent: ran.onEvent });
    expect(state.status).toBe("completed");
    expect(state.receipts?.at(-1)).not.toHaveProperty("left_out");
    expect(await recorded(ran, "waiting.started")).toHaveLength(1);
  });

  test("is asked about, and named, where it is no file that could be left out", async () => {
    const workspace = async (dir: string) => ({
      ...folderWorkspace(dir),
      untracked: async () => [],
    });
    const kept = new Map<string, ReturnType<typeof workspace>>();
    const opened = (dir: string) => {
      const known = kept.get(dir) ?? workspace(dir);
      kept.set(dir, known);
      return known;
    };
    const ran = await runWith([plan("one"), write("a.js", "1")], logs, { workspace: opened });
    expect(ran.state).toMatchObject({ status: "running", waiting: { about: "files" } });
    expect(ran.state.waiting?.prompt).toContain("The tests passed 3 times");
    expect(ran.state.waiting?.prompt).toContain("1 file changed from outside: all.log");
    expect(tests(await actions(ran.b.store, ran.id))).toHaveLength(3);
  });

  test("is never a file that the agent says it worked on", async () => {
    const says = { ...write("all.log", "mine\n") };
    const claims = {
      ...says,
      answer: { ...says.answer, files_updated: [{ path: "all.log", description: "mine" }] },
    };
    const ran = await runWith([plan("one"), claims], logs);
    expect(ran.state.waiting).toMatchObject({ about: "files" });
    expect(ran.state.workspace?.left_out).toBeUndefined();
  });

  test("is left out from the first moment when the output of this process goes there", async () => {
    const outputsIn = async (_: string, paths: () => Promise<readonly string[]>) =>
      (await paths()).filter((path) => path === "all.log");
    const first = (event: LoopEvent, dir: string) => logs(event, dir);
    const b = bench([plan("one"), write("a.js", "1")], PASSES(), {
      files: { ...realFiles, outputsIn },
    });
    writeFileSync(join(b.dir, "all.log"), "");
    const id = await b.start();
    const state = await b.service.run(id, {
      onEvent: (live) => {
        if (live.kind === "recorded") first(live.recorded.event, b.dir);
      },
    });
    expect(state).toMatchObject({ status: "completed", receipts: [{ left_out: ["all.log"] }] });
    expect(filesOf(state)).toEqual([["a.js"]]);
    expect(state.workspace?.outside).toBeUndefined();
    const { checkpoints = [] } = state;
    const { files } = await b.service.diff(id, { from: 0, to: checkpoints.at(-1)?.n ?? 0 });
    expect(files.map(({ path }) => path)).toEqual(["a.js"]);
  });
});
