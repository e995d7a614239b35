import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import {
  findCause,
  hang,
  hanging,
  type Project,
  plan,
  project,
  repository,
  stateOf,
  write,
} from "./support/project.ts";

const PATIENCE = { timeout: 20_000 };
const auto = ({ flags }: Project) => ["run", "--auto", ...flags];

describe.concurrent("a task from beginning to end", () => {
  test("from a folder inside of the project says where the loop works", {
    tags: ["slow"],
  }, async () => {
    await using here = await repository(plan, write("42"));
    const inside = join(here.dir, "src");
    await mkdir(inside);
    const args = auto(here).map((arg) => arg.replace("scripted:", `scripted:${here.dir}/`));
    const { code, err } = await here.run(here.io({ cwd: inside }), ...args, "Answer it");
    expect(code, err).toBe(0);
    expect(err).toContain(`belongs to ${here.dir}, the project that ${inside} lies in.\n`);
  });

  test("prints plain lines on stderr and the proof on stdout; exit 0", async () => {
    await using here = await repository(plan, write("41"), findCause, write("42"));
    const { code, out, err } = await here.cli(
      ...auto(here),
      "--loop-id",
      "a",
      "--create",
      "Answer it",
    );
    expect(code, err).toBe(0);
    const facts = err.trimEnd().split("\n");
    for (const line of facts) expect(line).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ /);
    expect(
      facts
        .map((line) => line.slice(21))
        .filter((line) => /^[A-Z]+ (start|done|pass|fail)/.test(line)),
    ).toEqual([
      "INIT started",
      "INIT done: One task.",
      "DEVELOP started, task 1/1: find the answer",
      "DEVELOP done: Wrote 41.",
      "VALIDATE started",
      expect.stringMatching(/^VALIDATE failed: node check\.mjs/),
      "DEBUG started",
      "DEBUG done: The answer is wrong.",
      "DEVELOP started, task 2/2: write 42",
      "DEVELOP done: Wrote 42.",
      "VALIDATE started",
      expect.stringMatching(/^VALIDATE passed: node check\.mjs/),
      "COMPLETE started",
      expect.stringMatching(/^COMPLETE done/),
    ]);
    expect(out).toMatch(/^Completed and proven: Answer it\n/);
    for (const part of [
      "node check.mjs: passed",
      "exit code 0",
      "answer\n",
      "5 of 10 iterations, 2 of 2 tasks",
      join(here.dir, ".workflow/.loop/a.json"),
      "ccw-loop show a --receipt",
    ]) {
      expect(out).toContain(part);
    }
    expect(out + err).not.toContain("\u001b");
    expect(await stateOf(here, "a")).toMatchObject({
      status: "completed",
      outcome: { code: "proven" },
    });
  });

  test("--events prints every event as a line of JSON, and nothing else, on stdout", {
    tags: ["slow"],
  }, async () => {
    await using here = await project(plan, write("42"));
    const { code, out, err } = await here.cli(...auto(here), "--events", "Answer it");
    expect([code, err]).toEqual([0, ""]);
    const events = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const types = events.flatMap((live) =>
      live.kind === "recorded" ? [live.recorded.event.type] : [],
    );
    expect(types[0]).toBe("loop.started");
    expect(types.at(-1)).toBe("loop.completed");
    expect(
      events.some((live) => live.kind === "activity" && live.activity.action === "DEVELOP"),
    ).toBe(true);
  });

  test("the settings are kept with the loop", async () => {
    await using here = await project(plan, write("42"));
    const own = [
      ...["--max-iterations", "7", "--max-duration", "90s", "--session", "fresh", "--model", "m1"],
    ];
    const proof = [
      ...["--verify", "true", "--min-coverage", "0", "--no-coverage-drop", "--flaky-reruns", "1"],
      ...["--target", "a", "--target", "b", "--known-red", "c", "--allow-test-changes", "test/"],
    ];
    const start = ["start", "--auto", ...here.flags, "--loop-id", "a"];
    await here.cli(...start, ...own, ...proof, "Answer it");
    expect(await stateOf(here, "a")).toMatchObject({
      max_iterations: 7,
      limits: { max_duration_ms: 90_000 },
      settings: {
        mode: "auto",
        agent: `scripted:${join(here.dir, "agent.json")}`,
        verify: "node check.mjs && true",
        session: "fresh",
        model: "m1",
        min_coverage: 0,
        no_coverage_drop: true,
        flaky_reruns: 1,
        targets: ["a", "b"],
        known_red: ["c"],
        allow_test_changes: ["test/"],
      },
    });
  });
});

describe.concurrent("exit codes", () => {
  test("1: the loop was stopped from elsewhere, and the turn with it", async () => {
    await using here = await project(plan, hang);
    const { run } = await hanging(here);
    const stop = await here.cli("stop", "a", "--reason", "enough");
    expect(stop).toMatchObject({ code: 0, err: "" });
    const { code, out } = await run;
    expect(code).toBe(1);
    expect(out).toMatch(
      /^Stopped \(stopped_by_user\): x\n {2}Reason +enough\n {2}Loop +a, stopped\n/,
    );
    expect(stop.out).toMatch(/^Loop a is stopped\. Next: ccw-loop why a\n$/);
  });

  test.each([["list"], ["show", "a"], ["watch", "a"], ["why", "a"], ["run", "--loop-id", "a"]])(
    "%s %s %s calls a stopped loop stopped, never failed",
    async (...args) => {
      await using here = await project(plan);
      await here.cli("start", "--auto", ...here.flags, "--loop-id", "a", "x");
      await here.cli("stop", "a");
      const { out, err } = await here.cli(...args);
      expect(`${out}${err}`).toMatch(/\bstopped\b/);
      expect(`${out}${err}`).not.toMatch(/\bfailed\b/);
    },
  );

  test("3: a limit, and how to go on", async () => {
    await using here = await project(plan, write("41"), findCause, {
      ...write("41"),
      repeat: true,
    });
    const args = [...auto(here), "--loop-id", "a", "--create", "--max-iterations", "3", "x"];
    const { code, out } = await here.cli(...args);
    expect(code).toBe(3);
    expect(out).toMatch(
      /^Failed \(max_iterations\): x\n {2}Reason +3 of 3 iterations are used\. Left: 1 task open \(fix-001\), a test run that passes\. Go on with: .*--max-iterations 13\n/,
    );
    expect(out).toContain("ccw-loop resume a --reopen --max-iterations 13");
    expect((await here.cli("watch", "a")).code).toBe(3);
  });

  test("4: a question that nobody here can answer", async () => {
    const asks = { ...plan, answer: { status: "needs_input" as const, message: "Which one?" } };
    await using here = await project({ ...asks, once: true }, plan, write("42"));
    const args = [...auto(here), "--loop-id", "a", "--create", "x"];
    const { code, out } = await here.cli(...args);
    expect(code).toBe(4);
    expect(out).toContain("Waits for input: Which one?");
    expect(out).toContain("ccw-loop answer a -");
    const why = (await here.cli("why", "a")).out;
    expect(why).toMatch(/^ +Question +Which one\?$/m);
    expect(why).toContain("ccw-loop answer a -");
    const answered = await here.cli("answer", "a", "the first");
    expect(answered.out).toContain("Go on with: ccw-loop run --loop-id a");
    expect((await here.cli("run", "--loop-id", "a")).code).toBe(0);
  });

  test("5: the agent cannot be used, and no loop is made or touched", async () => {
    await using here = await project(plan);
    const none = ["--agent", "scripted:none.json", "--verify", "node check.mjs"];
    for (const command of ["run", "start"]) {
      const { code, out, err } = await here.cli(command, "--auto", ...none, "x");
      expect([code, out]).toEqual([5, ""]);
      expect(err).toContain("none.json cannot be used");
      expect(err).toContain("See what is missing with: ccw-loop doctor");
    }
    expect(JSON.parse((await here.cli("list", "--json")).out).data.total).toBe(0);
    await here.cli("start", "--auto", ...here.flags, "--loop-id", "a", "x");
    await here.cli("pause", "a");
    const before = await stateOf(here, "a");
    const { code } = await here.cli("run", "--loop-id", "a", "--agent", "scripted:none.json");
    expect(code).toBe(5);
    expect(await stateOf(here, "a")).toEqual(before);
  });

  test("6: a loop that has ended is not run again; it says how", async () => {
    await using here = await project(plan, write("42"));
    await here.cli(...auto(here), "--loop-id", "a", "--create", "x");
    const { code, err } = await here.cli("run", "--loop-id", "a", "--auto");
    expect(code).toBe(6);
    expect(err).toContain("ccw-loop: Loop a has ended: completed (proven). ");
    expect(err).toContain("ccw-loop resume a --reopen");
    expect((await here.cli("pause", "a")).code).toBe(6);
  });

  test("6: two terminals never drive one loop", async () => {
    await using here = await project(plan, hang, write("42"));
    const { io, run: first } = await hanging(here);
    const second = await here.cli("run", "--loop-id", "a");
    expect([second.code, second.out]).toEqual([6, ""]);
    io.signal("SIGINT");
    await first;
  });

  test("7: an unknown loop; with --create it is made", async () => {
    await using here = await project(plan, write("42"));
    const unknown = await here.cli(...auto(here), "--loop-id", "a");
    expect(unknown.code).toBe(7);
    expect(unknown.err).toContain("ccw-loop list");
    expect((await here.cli(...auto(here), "--loop-id", "a", "--create")).code).toBe(2);
    expect((await here.cli(...auto(here), "--loop-id", "a", "--create", "x")).code).toBe(0);
  });

  test("75: a usage limit, with --no-wait", async () => {
    const fail = { code: "usage_limit" as const, message: "Quota used up.", resets_in: 3600 };
    await using here = await project({ action: "INIT", steps: [{ fail }] });
    const { code, out } = await here.cli(
      ...auto(here),
      "--no-wait",
      "--loop-id",
      "a",
      "--create",
      "x",
    );
    expect(code).toBe(75);
    expect(out).toMatch(/^Waits for usage limit until \d{4}-/);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s pauses the loop: %i", async (signal, exit) => {
    await using here = await project(plan, hang);
    const { io, run } = await hanging(here);
    io.signal("SIGPIPE");
    io.signal(signal);
    const { code, out, err } = await run;
    expect(code).toBe(exit);
    expect(err).toContain("Pausing the loop.");
    expect(err).toContain(`Paused: interrupted by ${signal}`);
    expect(out).toMatch(/^Paused: x\n/);
    expect(out).toContain("ccw-loop resume a");
    expect(await stateOf(here, "a")).toMatchObject({
      status: "paused",
      action: { name: "DEVELOP", interrupted: expect.any(String) },
    });
  });

  test("resume repeats the action that a signal interrupted", async () => {
    await using here = await project(plan, hang, write("42"));
    const { io, run } = await hanging(here);
    io.signal("SIGINT");
    await run;
    const resumed = await here.cli("resume", "a");
    expect(resumed.code, resumed.err).toBe(0);
    expect(resumed.err).toContain("DEVELOP started again (attempt 2)");
  });

  test("130 at once for the second signal, whatever the first one waits for", async () => {
    await using here = await project(plan, hang);
    const { io, run } = await hanging(here);
    io.signal("SIGINT");
    io.signal("SIGINT");
    expect(await run).toMatchObject({ code: 130, out: "" });
    // The work of the first signal still ends by itself in this process.
    await vi.waitFor(
      async () => expect((await stateOf(here, "a")).status).toBe("paused"),
      PATIENCE,
    );
  });
});

test.concurrent("--waive-tests keeps the reason in place of a proof", async () => {
  await using here = await project(plan, write("42"));
  const args = ["run", "--auto", "--agent", "scripted:agent.json", "--loop-id", "a", "--create"];
  const waiting = await here.cli(...args, "x");
  expect(waiting.code).toBe(4);
  expect(waiting.out).toContain("ccw-loop answer a --waive-tests -");
  const answered = await here.cli("answer", "a", "--waive-tests", "a sketch");
  expect(answered.code, answered.err).toBe(0);
  const { code, out } = await here.cli("run", "--loop-id", "a");
  expect(code).toBe(0);
  expect(out).toMatch(/^Completed, tests waived: x\n/);
  expect(out).toContain("tests were waived: a sketch");
});

test.concurrent("the question for tests is answered by the name of a waiver", async () => {
  await using here = await project(plan, write("42"));
  const args = ["run", "--auto", "--agent", "scripted:agent.json", "--loop-id", "a", "--create"];
  await here.cli(...args, "x");
  const none = await here.cli("answer", "a");
  expect(none).toMatchObject({ code: 2, err: expect.stringContaining("Give one answer") });
  const io = here.io({ tty: true, columns: 100, rows: 40, env: { NO_COLOR: "1" } });
  const driving = here.run(io, "run", "--loop-id", "a");
  await vi.waitFor(() => expect(io.err()).toContain("Answer (verify, waive_tests): "), PATIENCE);
  io.type("waive_tests\n");
  await vi.waitFor(() => expect(io.err()).toContain("Why there is nothing to test: "), PATIENCE);
  io.type("a sketch\n");
  expect((await driving).code).toBe(0);
  expect((await stateOf(here, "a")).settings?.waive_tests).toBe("a sketch");
});
