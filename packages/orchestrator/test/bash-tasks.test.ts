import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DevelopTask, NewTask, tasksOf } from "@ccw-loop/core";
import { processesRunning } from "@ccw-loop/testkit";
import { describe, expect, test, vi } from "vitest";
import { failedRunsText } from "../src/actions/debug/evidence-text.ts";
import { commanded, given, lastError, ran } from "./commanded.ts";
import { agentBut } from "./interfere.ts";
import { actions, bench, debug, journal, plan, verifierThat, write } from "./support.ts";

describe("a task that is a command", () => {
  test("is run without a turn, and what it changed is measured", async () => {
    const { state, task, file, done, service, id } = await ran("echo 1 > a.js; echo made");
    expect(state).toMatchObject({ status: "completed", outcome: { code: "proven" } });
    expect(done).toEqual(["INIT", "DEVELOP", "VALIDATE(pass)", "COMPLETE"]);
    expect(state.usage?.turns).toBe(0);
    expect(task).toMatchObject({
      status: "completed",
      files_changed: ["a.js"],
      command_run: { command: "echo 1 > a.js; echo made", exit_code: 0, output: "made\n" },
    });
    expect(readFileSync(file("a.js"), "utf8")).toBe("1\n");
    const logged: unknown[] = [];
    for await (const { event } of service.activity(id)) logged.push(event);
    expect(logged).toMatchObject([
      { type: "command.started", command: "echo 1 > a.js; echo made" },
      { type: "command.output", text: "made\n" },
      { type: "command.completed", exit_code: 0 },
    ]);
  });

  test.each([
    [
      "quotes and line ends",
      `printf '%s\\n' "it's" 'a "b"'\nprintf '\\\\n$HOME'`,
      `it's\na "b"\n\\n$HOME`,
    ],
    ["what bash alone knows", "a=(1 2 3); [[ 3 == 3 ]] && echo $((a[2]))", "3\n"],
    ["nothing to read", "cat; echo end", "end\n"],
    ["CI", "echo $CI", "1\n"],
  ])("has %s", async (_, command, output) => {
    const { task } = await ran(command);
    expect(task?.command_run).toMatchObject({ exit_code: 0, output });
  });

  test("that fails goes to DEBUG with its exit code and its last words as evidence, and is tried again", async () => {
    const fails = "echo x >> tries; echo no rule >&2; exit 3";
    const expected = ["exit code 3: no rule", `command: ${fails}`, "    | no rule"];
    const { state, task, done, file } = await ran(fails, {}, [{ ...debug(), expect: expected }]);
    expect(done.slice(0, 3)).toEqual(["INIT", "DEVELOP(failed)", "DEBUG"]);
    expect(task).toMatchObject({ status: "failed", command_run: { exit_code: 3 } });
    expect(lastError(state)).toBe("The command ended with exit code 3: no rule");
    expect(readFileSync(file("tries"), "utf8")).toBe("x\n".repeat(task?.attempts ?? 0));
  });

  test.each([
    ["a signal", "kill -9 $$", null, "The command was ended by a signal and printed nothing"],
    ["a program that is missing", "no-such-program-here", 127, "ended with exit code 127"],
  ])("fails by %s", async (_, command, exit_code, message) => {
    const { state, task } = await ran(command);
    expect(task?.command_run).toMatchObject({ exit_code, timed_out: false });
    expect(lastError(state)).toContain(message);
  });

  test("that floods is bounded, everywhere", async () => {
    const flood = "head -c 100000000 /dev/zero | tr '\\0' x; echo; echo the end";
    const { task, store, id } = await ran(flood);
    expect(task?.command_run?.output.length).toBeLessThanOrEqual(4_096);
    expect(task?.command_run?.output).toMatch(/xx\nthe end\n$/);
    let logged = 0;
    for await (const record of store.readLog(id)) logged += JSON.stringify(record).length;
    expect(logged).toBeLessThan(100_000);
    expect(JSON.stringify(await journal(store, id)).length).toBeLessThan(100_000);
  });

  test("leaves no process behind, whether it ends or does not", async () => {
    const nap = `sleep ${(700 + Math.random()).toFixed(9)}`;
    const { task } = await ran(`${nap} & setsid ${nap} & echo begun`);
    expect(task?.status).toBe("completed");
    expect(processesRunning(nap)).toEqual([]);
  });

  test("has the time that the loop's limits give, and says which flag gives more", async () => {
    const nap = `sleep ${(700 + Math.random()).toFixed(9)}`;
    const b = await commanded(nap);
    await b.service.send(b.id, { type: "edit", changes: { limits: { task_timeout_ms: 300 } } });
    const state = await b.service.run(b.id);
    expect(tasksOf(state)[0]).toMatchObject({ status: "failed", command_run: { timed_out: true } });
    expect(lastError(state)).toMatch(
      /^The command did not end within \d+s and was stopped\..*--task-timeout/,
    );
    expect(processesRunning(nap)).toEqual([]);
  });

  test("has ten minutes where nobody says anything", async () => {
    const times: number[] = [];
    const agent = agentBut([debug()], () => ({
      exec: async (_, { timeoutMs }) => {
        times.push(timeoutMs);
        return { exit_code: 0, output: "", timed_out: false };
      },
    }));
    const b = bench([debug()], verifierThat("pass"), { agent: async () => agent });
    const id = await b.start();
    await b.service.send(id, { type: "add_task", task: given("true") });
    await b.service.run(id);
    expect(times).toEqual([600_000]);
  });

  test("is run as the tests are where the agent has no sandbox of its own", async () => {
    const agent = agentBut([debug()], () => ({}));
    const b = bench([debug()], verifierThat("pass"), { agent: async () => agent });
    const id = await b.start();
    await b.service.send(id, { type: "add_task", task: given("true") });
    expect(tasksOf(await b.service.run(id))[0]?.command_run).toMatchObject({ output: "probed" });
  });

  test("that was cut off by a pause is ended, and begun again at resume", async () => {
    const nap = `sleep ${(700 + Math.random()).toFixed(9)}`;
    const b = await commanded(`echo x >> tries; test -e go || ${nap}`);
    const running = b.service.run(b.id);
    await vi.waitFor(() => expect(existsSync(b.file("tries"))).toBe(true), 10_000);
    await b.service.send(b.id, { type: "pause" });
    expect((await running).status).toBe("paused");
    expect(processesRunning(nap)).toEqual([]);
    await writeFile(b.file("go"), "");
    await b.service.send(b.id, { type: "resume" });
    const state = await b.service.run(b.id);
    expect(state.status).toBe("completed");
    expect(readFileSync(b.file("tries"), "utf8")).toBe("x\nx\n");
    expect(await actions(b.store, b.id)).toContain("DEVELOP(interrupted)");
  });

  test("that failed is known to the next turn, with the end of its output", async () => {
    const next = write("a.js", "1");
    const expected = [
      "Commands of tasks that failed:",
      "command: echo no rule; exit 3",
      "    | no rule",
    ];
    const b = await commanded("echo no rule; exit 3", {}, [{ ...next, expect: expected }, debug()]);
    const task = NewTask.parse({ id: "u", description: "Write a.js" });
    await b.service.send(b.id, { type: "add_task", task });
    expect(tasksOf(await b.service.run(b.id))).toMatchObject([
      { status: "failed" },
      { status: "completed", files_changed: ["a.js"] },
    ]);
  });

  test("that failed is one of the last three that a prompt shows, however many there are", () => {
    const command = `exit 3 # ${"x".repeat(10_000)}`;
    const run = { command, exit_code: 3, duration_ms: 1, output: "", timed_out: false };
    const failed = ["a", "b", "c", "d", "e"].map((id) =>
      DevelopTask.parse({ ...given(command, { id }), status: "failed", command_run: run }),
    );
    const text = failedRunsText(failed);
    expect(text).toContain("- … and 2 more before these\n- c\n  command: exit 3 # x");
    expect(text.match(/^- \w$/gm)).toEqual(["- c", "- d", "- e"]);
    expect(text.length).toBeLessThan(4_000);
  });

  test("that fails can pause the loop", async () => {
    const { state } = await ran("exit 4", { on_error: "pause" });
    expect(state.status).toBe("paused");
  });
});

describe("what an agent proposes", () => {
  const planned = (...tasks: object[]) => ({ ...plan(), answer: { state_updates: { tasks } } });

  test("is run where it is a command; its prose is a task for the agent", async () => {
    const turns = [
      planned(
        { description: "echo prose > a.js", tool: "bash" },
        { description: "b", command: "echo 1 > b.js" },
      ),
      { ...write("c.js", "1"), expect: ["echo prose > a.js"] },
    ];
    const b = bench(turns, verifierThat("pass"));
    const state = await b.service.run(await b.start());
    expect(state.status).toBe("completed");
    expect(["a.js", "b.js", "c.js"].map((name) => existsSync(join(b.dir, name)))).toEqual([
      false,
      true,
      true,
    ]);
    expect(tasksOf(state).map(({ tool }) => tool)).toEqual(["codex", "bash"]);
  });

  test.each([
    ["is not run where no sandbox holds it and the policy declines it: the agent does it", "no", 1],
    ["is run where the policy accepts it", null, 0],
  ])("%s", async (_, problem, turns) => {
    const command = "echo x >> ~/.bashrc";
    const done = { ...write("a.js", "1"), expect: `Command given for this task: ${command}` };
    const agent = agentBut([planned({ description: "b", command }), done], () => ({}));
    const verifier = verifierThat("pass");
    const probe = vi.spyOn(verifier, "probe");
    const asked: string[] = [];
    const commandProblem = async (of: string) => {
      asked.push(of);
      return problem;
    };
    const b = bench([plan()], verifier, { agent: async () => agent, commandProblem });
    const told: string[] = [];
    const id = await b.start();
    const state = await b.service.run(id, {
      onEvent: (live) => {
        if (live.kind === "activity" && live.activity.event.type === "warning.raised")
          told.push(live.activity.event.message);
      },
    });
    expect(tasksOf(state)[0]?.status).toBe("completed");
    expect(asked).toEqual([command]);
    expect(probe).toHaveBeenCalledTimes(1 - turns);
    expect(state.usage?.turns).toBe(1 + turns);
    expect(told).toHaveLength(turns);
    for (const message of told) {
      expect(message).toContain("named was not run: no. The agent does task task-001");
      expect(message).toContain(`ccw-loop tasks edit ${id} task-001 --command`);
    }
  });
});
