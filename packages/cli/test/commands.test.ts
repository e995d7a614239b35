import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { findCause, hang, hanging, type Project, plan, project, write } from "./support/project.ts";

const PATIENCE = { timeout: 20_000 };

/** A loop called `a` that was driven to its end. */
async function ended(...turns: Parameters<typeof project>): Promise<Project> {
  const here = await project(...turns);
  await here.cli("run", "--auto", ...here.flags, "--loop-id", "a", "--create", "Answer it");
  return here;
}

/** A loop that was driven to its end in several rounds, for tests that change nothing of it. */
let driven: Project;
beforeAll(async () => {
  const steps = [{ run: "printf 'one\\ntwo\\033[31m\\n'" }, { say: "Look at this." }];
  const wrong = write("41");
  const first = { ...wrong, steps: [...steps, ...(wrong.steps ?? [])] };
  driven = await ended(plan, first, findCause, write("42"));
});
afterAll(() => driven[Symbol.asyncDispose]());

describe.concurrent("list", () => {
  test("says what to do when there is nothing", async () => {
    await using here = await project(plan);
    const { code, out } = await here.cli("list");
    expect([code, out]).toEqual([
      0,
      'No loops here yet. Start one with: ccw-loop run --auto "TASK"\n',
    ]);
    const filtered = await here.cli("list", "--tag", "none");
    expect(filtered.out).toBe("No loop matches the filter. See all of them with: ccw-loop list\n");
  });

  test("has one line per loop", async () => {
    const { out } = await driven.cli("list");
    const [head = "", row = "", ...rest] = out.trimEnd().split("\n");
    expect(head.split(/ {2,}/)).toEqual([
      "LOOP",
      "STATUS",
      "ACTION",
      "ITERATION",
      "TESTS",
      "AGE",
      "TITLE",
    ]);
    expect(row).toMatch(/^a +completed +COMPLETE +5\/10 +\S+ +\S+ +Answer it$/);
    expect(rest).toEqual([]);
  });

  test("filters", async () => {
    const ids = async (...args: string[]) =>
      JSON.parse((await driven.cli("list", "--json", ...args)).out).data.loops.map(
        (loop: { loop_id: string }) => loop.loop_id,
      );
    expect(await ids("--status", "completed")).toEqual(["a"]);
    expect(await ids("--status", "running")).toEqual([]);
    expect(await ids("--search", "ANSWER")).toEqual(["a"]);
    expect(await ids("--search", "nothing")).toEqual([]);
    expect(await ids("--tag", "none")).toEqual([]);
    expect(await ids("--offset", "1")).toEqual([]);
  });

  test("never hides a loop that cannot be read, and shows no control character of it", async () => {
    await using here = await project(plan);
    const folder = join(here.dir, ".workflow", ".loop");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "broken.json"), "{ not json \u001b[31m");
    await writeFile(join(folder, "left.journal.jsonl"), "");
    const { code, out } = await here.cli("list");
    expect(code).toBe(0);
    expect(out).toMatch(/damaged broken: .*ccw-loop recover broken/);
    expect(out).toMatch(/damaged left: .*left\.journal\.jsonl.*ccw-loop recover left/);
    expect(out).not.toContain("\u001b");
  });
});

describe.concurrent("show, why and logs", () => {
  test("show tells what matters, --receipt the proof", async () => {
    const { out } = await driven.cli("show", "a");
    for (const part of [
      "Answer it\n",
      "completed (proven)",
      "5 of 10 iterations",
      "of 4h of work",
      "of 200 turns, 30m each",
      "of 20000000 tokens",
      "--max-cost",
      "0 of 15 iterations without progress",
      "0 of 5 failures in a row",
      "confirmed: the number is wrong",
      "✔ task-001",
      "Next",
    ]) {
      expect(out).toContain(part);
    }
    const receipt = await driven.cli("show", "a", "--receipt");
    expect(receipt.out).toMatch(/Command +node check\.mjs\n/);
    expect(receipt.out).toMatch(/Tree +\S+ before\n +\S+ after\n/);
    expect(receipt.code).toBe(0);
  });

  test("why tells the rule and every guard", { tags: ["slow"] }, async () => {
    await using here = await ended(plan, write("42"));
    await here.cli("tasks", "add", "a", "more");
    await here.cli("resume", "a", "--reopen", "--no-run");
    const { out } = await here.cli("why", "a");
    expect(out).toMatch(/^Next is DEVELOP: 1 task is open\.\n/);
    expect(out).toMatch(/Rule +5\n/);
    expect(out).toMatch(/Driven by +nobody since \S+Z \(\S+ ago\)\n/);
    expect(out).toMatch(/open_tasks +1\n/);
  });

  test("logs read like a terminal; --raw are the records", async () => {
    const { out } = await driven.cli("logs", "a");
    expect(out).toMatch(/── INIT \S+\n/);
    expect(out).toContain("$ printf 'one\\ntwo\\033[31m\\n'\none\ntwo\n");
    expect(out).toContain("the answer is 42");
    expect(out).not.toContain("\u001b");
    const raw = await driven.cli("logs", "a", "--raw");
    const types = raw.out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).event.type);
    expect(types).toEqual(
      expect.arrayContaining(["prompt.sent", "command.started", "verify.output"]),
    );
    expect((await driven.cli("logs", "a", "-f", "--json")).code).toBe(2);
    expect((await driven.cli("logs", "a", "--raw", "--json")).code).toBe(2);
  });

  test("logs -f goes on until it is interrupted, or its reader leaves", async () => {
    await using here = await project(plan, hang);
    const { io: driver, run } = await hanging(here);
    const [follower, reader] = [here.io(), here.io()];
    const following = here.run(follower, "logs", "a", "-f");
    const reading = here.run(reader, "logs", "a", "-f", "--raw");
    await vi.waitFor(() => expect(follower.out()).toContain("── DEVELOP"), PATIENCE);
    await vi.waitFor(() => expect(reader.out()).toContain("thinking"), PATIENCE);
    follower.signal("SIGINT");
    reader.signal("SIGPIPE");
    expect((await following).code).toBe(130);
    expect((await reading).code).toBe(0);
    driver.signal("SIGINT");
    await run;
  });
});

test.concurrent("watch says that a loop is paused, and what it goes on with", async () => {
  await using here = await project(plan, hang);
  const { io: driver, run } = await hanging(here);
  driver.signal("SIGINT");
  await run;
  const io = here.io();
  const watching = here.run(io, "watch", "a");
  const says = "Loop a: paused\nWatching continues when it does. Go on with: ccw-loop resume a\n";
  await vi.waitFor(() => expect(io.err()).toContain(says), PATIENCE);
  io.signal("SIGINT");
  await watching;
});

test.concurrent("watch follows another terminal to the end and has its exit code", {
  tags: ["slow"],
}, async () => {
  const two = [{ description: "first" }, { description: "second" }];
  const plans = { ...plan, answer: { message: "Two.", state_updates: { tasks: two } } };
  await using here = await project(plans, hang, write("41"), write("42"));
  const { io: driver, run } = await hanging(here);
  const [plain, events] = [here.io(), here.io()];
  const watching = here.run(plain, "watch", "a");
  const streaming = here.run(events, "watch", "a", "--events");
  await vi.waitFor(async () => {
    await here.cli("tasks", "edit", "a", "task-002", "--description", "changed");
    expect(plain.err()).toContain("Task task-002 edited");
    expect(events.out()).toContain("task.edited");
  }, PATIENCE);
  driver.signal("SIGINT");
  await run;
  expect((await here.cli("resume", "a")).code).toBe(0);
  expect(await watching).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Completed and proven: x/),
  });
  expect(plain.err()).toContain("Paused: interrupted by SIGINT");
  expect(plain.err()).toContain("VALIDATE passed");
  expect((await streaming).code).toBe(0);
  expect(events.out()).toContain('"loop.completed"');
});

describe.concurrent("delete", () => {
  test("asks, and does it only for a yes", { tags: ["slow"] }, async () => {
    await using here = await ended(plan, write("42"));
    expect(await here.cli("delete", "a")).toMatchObject({
      code: 2,
      err: expect.stringContaining("--yes"),
    });
    const answered = async (text: string) => {
      const io = here.io({ tty: true });
      const ran = here.run(io, "delete", "a");
      await vi.waitFor(() => expect(io.err()).toContain("[y/N] "), PATIENCE);
      io.type(text);
      return ran;
    };
    expect((await answered("\n")).out).toBe("Nothing was deleted.\n");
    expect((await answered("y\n")).out).toBe("Loop a is deleted.\n");
    const left = await readdir(join(here.dir, ".workflow", ".loop"));
    expect(left.filter((name) => name.startsWith("a"))).toEqual([]);
  });

  test("refuses a running loop: exit 6", async () => {
    await using here = await project(plan, hang);
    const { io, run } = await hanging(here);
    expect((await here.cli("delete", "a", "--yes")).code).toBe(6);
    io.signal("SIGINT");
    await run;
  });
});

test.concurrent("recover shows first what it would do", async () => {
  await using here = await ended(plan, write("42"));
  const folder = join(here.dir, ".workflow", ".loop");
  const shown = await here.cli("recover", "a");
  expect(shown.code, shown.err).toBe(0);
  expect(shown.out).toMatch(/^Loop a can be rebuilt from .*\n {2}status completed/);
  expect(shown.out).toContain("Nothing was changed. Do it with: ccw-loop recover a --yes");
  await writeFile(join(folder, "a.json"), "garbage");
  const done = await here.cli("recover", "a", "--yes");
  expect(done.out).toContain("Loop a is recovered.");
  expect((await here.cli("show", "a")).out).toContain("completed (proven)");
});

test.concurrent("tasks are listed, and a change of nothing is refused", async () => {
  expect((await driven.cli("tasks", "list", "a")).out).toBe(
    "  ✔ task-001  find the answer\n  ✔ fix-001   write 42\n",
  );
  expect((await driven.cli("tasks", "edit", "a", "task-001")).code).toBe(2);
  expect((await driven.cli("tasks", "remove", "a", "none")).code).toBe(7);
  expect((await driven.cli("tasks", "add", "a", "x", "--task-id", "../x")).code).toBe(2);
});

test.concurrent("the project is found from a folder inside it, and named with --cwd", async () => {
  await using here = await project(plan);
  await here.cli("start", "--auto", ...here.flags, "--loop-id", "a", "x");
  const inside = join(here.dir, "src", "deep");
  await mkdir(inside, { recursive: true });
  const ids = async (cwd: string, ...args: string[]) =>
    (await here.run(here.io({ cwd }), "list", ...args)).out.split("\n")[1]?.split(" ")[0];
  expect(await ids(inside)).toBe("a");
  expect(await ids("/", "--cwd", inside)).toBe("a");
  expect(await ids(join(here.dir, ".."), "--cwd", here.dir)).toBe("a");
});
