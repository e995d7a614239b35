import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Workspace } from "@ccw-loop/core";
import { folderWorkspace, memoryStore, processesRunning } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { loopService } from "../src/index.ts";
import { agentBut } from "./interfere.ts";
import { answers, idea, ideaOf, known, shown } from "./probing.ts";
import {
  bench,
  driven,
  journal,
  plan,
  type Turns,
  untilAborted,
  verifierThat,
  write,
} from "./support.ts";

const SOURCE =
  "const sum = 1 + 1;\nconsole.log(sum);\n// ccw-probe is a word that was here before\n";
const MARKED = `const sum = 1 + 1;
console.log(JSON.stringify({ hid: "H1", sum })); // ccw-probe
console.log(sum);
// ccw-probe is a word that was here before
`;
const begun = [plan("one"), write("total.js", SOURCE)] as const;
const instrument = {
  steps: [
    { write: { path: "total.js", content: MARKED } },
    { write: { path: "look.js", content: "console.log('looked'); // ccw-probe\n" } },
    { write: { path: "ccw-probe.sh", content: "node look.js\nnode total.js\n" } },
  ],
};
const cause = { confirmed_hypothesis: "H1", fix_tasks: [{ description: "round once" }] };
const probe = {
  command: "sh ccw-probe.sh",
  if_holds: [{ kind: "pattern", pattern: '"sum":2', found: true }],
  if_not: [{ kind: "pattern", pattern: '"sum":2', found: false }],
};
const instrumented = idea("H1", "it adds twice", null, { probe });
const proposing = answers("DEBUG", [instrumented], instrument);
const refining = answers("DEBUG VERDICT", [idea("H1", "it adds twice", "node total.js")], {
  expect: [
    '    | {"hid":"H1","sum":2}',
    "instrumented: ccw-probe.sh, look.js, total.js",
    "so it is inconclusive",
  ],
});
const judging = answers("DEBUG VERDICT", [known("H1")], {
  expect: ["so it is confirmed"],
  ...cause,
});
const fix = write("total.js", "console.log(1)");

/** What lies in the project, without our own folder. */
function files(dir: string): string[] {
  return readdirSync(dir).filter((name) => name !== ".workflow");
}

function untouched(dir: string): void {
  expect(files(dir)).toEqual(["total.js"]);
  expect(readFileSync(join(dir, "total.js"), "utf8")).toBe(SOURCE);
}

describe("instrumentation", () => {
  test("is there while the probe runs, and gone before the agent is asked for its verdict", async () => {
    let dir = "";
    const seen: string[][] = [];
    const turns: Turns = [...begun, proposing, refining, judging, fix];
    const agent = agentBut(turns, (session) => ({
      exec: async (...args) => session.exec?.(...args) ?? Promise.reject(),
      run: (prompt, options) => {
        if (prompt.startsWith("# ACTION: DEBUG VERDICT")) seen.push(files(dir));
        return session.run(prompt, options);
      },
    }));
    const b = bench(turns, verifierThat("fail", "pass"), { agent: async () => agent });
    dir = b.dir;
    const { id, state } = await driven(b);
    expect(state.status).toBe("completed");
    expect(seen).toEqual([["total.js"], ["total.js"]]);
    expect(shown(state, "H1")).toMatchObject([
      {
        output: 'looked\n{"hid":"H1","sum":2}\n2\n',
        instrumented: ["ccw-probe.sh", "look.js", "total.js"],
        shows: "holds",
      },
      { output: "2\n", instrumented: [], shows: "holds" },
      { output: "1\n", after_fix: true, shows: "does_not_hold" },
    ]);
    const debug = (await journal(b.store, id)).flatMap(({ event }) =>
      event.type === "action.completed" && event.output.action === "DEBUG" ? [event.output] : [],
    );
    expect(debug).toMatchObject([{ files_changed: [] }]);
  });

  test("of a turn that fails is gone", async () => {
    const { steps } = instrument;
    const failing = {
      action: "DEBUG",
      steps,
      answer: { status: "failed" as const, message: "no idea" },
    };
    const b = bench([...begun, failing], verifierThat("fail"));
    await b.service.run(await b.start({ max_iterations: 3 }));
    untouched(b.dir);
  });

  test("of a turn that asks a person is gone", async () => {
    const { steps } = instrument;
    const asking = {
      action: "DEBUG",
      steps,
      answer: { status: "needs_input" as const, message: "Which one?" },
    };
    const b = bench([...begun, asking], verifierThat("fail"));
    const state = await b.service.run(await b.start());
    expect(state.waiting?.prompt).toBe("Which one?");
    untouched(b.dir);
  });

  test("that comes with a verdict nobody asks to probe is gone, too", async () => {
    const late = answers("DEBUG VERDICT", [known("H1")], instrument);
    const b = bench([...begun, proposing, late], verifierThat("fail"));
    await b.service.run(await b.start({ max_iterations: 3 }));
    untouched(b.dir);
  });

  test("does not hide what else was changed", async () => {
    const steps = [{ write: { path: "total.js", content: `${MARKED}console.log(3);\n` } }];
    const editing = { ...proposing, steps };
    const b = bench(
      [...begun, editing, answers("DEBUG VERDICT", [known("H1")])],
      verifierThat("fail"),
    );
    const id = await b.start({ max_iterations: 3 });
    await b.service.run(id);
    expect(readFileSync(join(b.dir, "total.js"), "utf8")).toBe(`${SOURCE}console.log(3);\n`);
    const debug = (await journal(b.store, id)).flatMap(({ event }) =>
      event.type === "action.completed" && event.output.action === "DEBUG" ? [event.output] : [],
    );
    expect(debug).toMatchObject([{ files_changed: ["total.js"] }]);
  });
});

describe("in the middle of a probe", () => {
  const mark = `ccw-hanging-${process.pid}`;
  const hanging = answers(
    "DEBUG",
    [
      instrumented,
      idea("H2", "it hangs", `node -e 'setInterval(() => {}, 1000)' ${mark}`, { likelihood: 2 }),
    ],
    instrument,
  );
  const goesOn = answers("DEBUG VERDICT", [idea("H1", "it adds twice", "node total.js")], {
    expect: ["This action was begun before", '    | {"hid":"H1","sum":2}'],
  });

  test("a pause ends it and takes the instrumentation out; what was shown is not asked for again", async () => {
    const b = bench([...begun, hanging, goesOn, judging, fix], verifierThat("fail", "pass"));
    const id = await b.start();
    const paused = await b.service.run(id, {
      onEvent: (live) => {
        if (live.kind !== "activity" || live.activity.event.type !== "command.started") return;
        if (live.activity.event.command.includes(mark)) void b.service.send(id, { type: "pause" });
      },
    });
    expect(paused.status).toBe("paused");
    expect(processesRunning(mark)).toEqual([]);
    untouched(b.dir);
    expect(shown(paused, "H1")).toHaveLength(1);
    expect(ideaOf(paused, "H2")).toMatchObject({ status: "pending", evidence: null });

    const state = await b.service.run(id);
    expect(state.status).toBe("completed");
    expect(shown(state, "H1")).toHaveLength(3);
    expect(ideaOf(state, "H2").verdict_reason).toContain("was not run");
  });

  test("a crash loses no evidence, and the next attempt takes the instrumentation out first", async () => {
    const died = Promise.withResolvers<void>();
    const seen: string[][] = [];
    // As kill -9 leaves it: behind the beginning of the second probe the first process does nothing any more.
    const agent = agentBut([...begun, hanging, goesOn, judging, fix], (session) => ({
      exec: async (command, options) => {
        if (!command.includes(mark)) return session.exec?.(command, options) ?? Promise.reject();
        died.resolve();
        return untilAborted(options.signal);
      },
      run: (prompt, options) => {
        if (prompt.startsWith("# ACTION: DEBUG VERDICT")) seen.push(files(b.dir));
        return session.run(prompt, options);
      },
    }));
    const verifier = verifierThat("fail", "pass");
    const workspaces = new Map<string, Workspace>();
    const workspace = async (folder: string) => {
      const found = workspaces.get(folder) ?? folderWorkspace(folder);
      workspaces.set(folder, found);
      return found;
    };
    const parts = { agent: async () => agent, workspace };
    const b = bench([...begun], verifier, parts);
    const id = await b.start();
    const abort = new AbortController();
    const first = b.service.run(id, { signal: abort.signal });
    await died.promise;
    const { state: dead } = await b.store.read(id);
    expect(files(b.dir)).toContain("ccw-probe.sh");

    const store = memoryStore();
    await store.create(dead, { actor: "test" });
    const state = await loopService({ ...parts, store, verifier, cwd: b.dir }).run(id);
    expect(state.outcome).toMatchObject({ code: "proven" });
    expect(shown(state, "H1")).toHaveLength(3);
    expect(seen).toEqual([["total.js"], ["total.js"]]);
    expect(files(b.dir)).toEqual(["total.js"]);
    abort.abort("the test is over");
    await first;
  });
});
