import { expect, test, vi } from "vitest";
import type { FakeIo } from "./support/fake-io.ts";
import { type Project, plan, project, stateOf, write } from "./support/project.ts";

const PATIENCE = { timeout: 20_000 };
const PROMPT = "Choose 1-6 or a name: ";

/** Drives an interactive loop; `answers` are typed one per question, each after its prompt has appeared. */
async function atTheMenu(here: Project, args: string[], ...answers: string[]) {
  const io = here.io({ tty: true, columns: 100, rows: 40, env: { NO_COLOR: "1" } });
  const run = here.run(io, ...args);
  let asked = 0;
  for (const answer of answers) {
    asked += 1;
    await vi.waitFor(() => expect(questions(io)).toBe(asked), PATIENCE);
    io.type(answer);
  }
  return { ...(await run), io };
}

const questions = (io: FakeIo) => io.err().split(PROMPT).length - 1;
const interactive = ({ flags }: Project) => [
  ...["run", "--interactive", ...flags, "--loop-id", "a", "--create", "x"],
];

test.concurrent("every option by digit or by name, until the work is proven", async () => {
  await using here = await project(plan, write("42"));
  const { code, err, out } = await atTheMenu(
    here,
    interactive(here),
    "banana\n",
    "4\n",
    "complete\n",
    "1\n",
    "VALIDATE\n",
    "5\n",
  );
  expect(code, err).toBe(0);
  expect(out).toMatch(/^Completed and proven: x\n/);
  // An answer that means nothing is asked again.
  expect(err).toContain(
    "Unknown choice. Choose one of: develop, debug, validate, status, complete, exit.",
  );
  // The seeds' six options in their order.
  const labels = [
    "Continue development",
    "Start debugging",
    "Run validation",
    "View progress",
    "Complete loop",
    "Exit and save",
  ];
  const lines = err
    .split("\n")
    .map((line) => /^ {2}(\d) {2}(.*?) {2}/.exec(line)?.slice(1, 3).join(" "));
  expect(lines.filter(Boolean).slice(0, 6)).toEqual(labels.map((label, i) => `${i + 1} ${label}`));
  // Status shows the tasks and changes nothing.
  expect(err).toContain("○ task-001  find the answer");
  // Complete without a proof is refused with the reason.
  expect(err).toContain("COMPLETE needs a passing VALIDATE");
});

test.concurrent("exit ends with exit code 4, and run goes on with it", async () => {
  await using here = await project(plan, write("42"));
  const left = await atTheMenu(here, interactive(here), "6\n");
  expect(left.code).toBe(4);
  expect(left.out).toMatch(/^Exited: x\n/);
  expect(left.out).toContain("ccw-loop run --loop-id a");
  expect((await here.cli("run", "--loop-id", "a")).code).toBe(2);
  expect((await here.cli("run", "--loop-id", "a", "--auto")).code).toBe(0);
});

test.concurrent("Ctrl-C at the menu pauses the loop: 130, and resume goes on", async () => {
  await using here = await project(plan, write("42"));
  const { code, out } = await atTheMenu(here, interactive(here), "\u0003");
  expect(code).toBe(130);
  expect(out).toMatch(/^Paused: x\n/);
  expect(await stateOf(here, "a")).toMatchObject({ status: "paused" });
  expect((await here.cli("timeline", "a")).out).not.toContain("MENU");
  expect((await here.cli("resume", "a", "--auto")).code).toBe(0);
});

test.concurrent("a signal at the menu pauses the loop, too", async () => {
  await using here = await project(plan, write("42"));
  const io = here.io({ tty: true });
  const run = here.run(io, ...interactive(here));
  await vi.waitFor(() => expect(questions(io)).toBe(1), PATIENCE);
  io.signal("SIGTERM");
  expect((await run).code).toBe(143);
  expect(await stateOf(here, "a")).toMatchObject({ status: "paused" });
});

test.concurrent("the end of input exits, too", async () => {
  await using here = await project(plan, write("42"));
  expect(await atTheMenu(here, interactive(here), "\u0004")).toMatchObject({ code: 4 });
});

test.concurrent("a stop from elsewhere takes the question away", async () => {
  await using here = await project(plan, write("42"));
  const io = here.io({ tty: true });
  const run = here.run(io, ...interactive(here));
  await vi.waitFor(() => expect(questions(io)).toBe(1), PATIENCE);
  expect((await here.cli("stop", "a")).code).toBe(0);
  expect((await run).code).toBe(1);
});

test.concurrent("a question of the agent is asked right here", async () => {
  const asks = {
    ...plan,
    answer: { status: "needs_input" as const, message: "Which\u001b[31m one?" },
  };
  await using here = await project({ ...asks, once: true }, plan, write("42"));
  const io = here.io({ tty: true });
  const run = here.run(io, "run", "--auto", ...here.flags, "x");
  await vi.waitFor(() => expect(io.err()).toContain("Answer: "), PATIENCE);
  expect(io.err()).toContain("Which one?");
  io.type("the first\n");
  expect((await run).code).toBe(0);
});

test.concurrent("without a terminal there is nobody to choose: exit 2, and no loop is made", async () => {
  await using here = await project(plan);
  const { code, out, err } = await here.cli(...interactive(here));
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain("Use --auto");
  expect((await here.cli("list", "--json")).out).toContain('"total": 0');
});
