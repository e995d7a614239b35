import { expect, test, vi } from "vitest";
import { knownRedOf, redLines } from "../src/output/questions.ts";
import type { FakeIo } from "./support/fake-io.ts";
import { hang, plan, stateOf } from "./support/project.ts";
import { repairs, testedProject } from "./support/tested-project.ts";

const PATIENCE = { timeout: 40_000 };
const PROMPT = "Which need not pass? [none] ";
const RED = ["a.test.js > adds", "a.test.js > adds two", "b.test.js > 2 * 2"];

test.each([
  ["", []],
  ["  ", []],
  ["2", ["a.test.js > adds two"]],
  ["2,3", ["a.test.js > adds two", "b.test.js > 2 * 2"]],
  ["2-3 2", ["a.test.js > adds two", "b.test.js > 2 * 2"]],
  // A part of another red test's name must not except that one as well.
  ["1", ["*a.test.js > adds"]],
  ["adds", ["adds"]],
  ["b*", ["b*"]],
  ["0", undefined],
  ["4", undefined],
  ["1-4", undefined],
  ["3-1", undefined],
  ["-1", undefined],
  ["all", undefined],
  [",", undefined],
])("%j excepts the red tests %j", (line, patterns) => {
  expect(knownRedOf(RED, line)).toEqual(patterns);
});

test("of very many red tests the first ones are shown, and only they have numbers", () => {
  const many = Array.from({ length: 1000 }, (_, i) => `t.js > test ${i}`);
  const lines = redLines(many);
  expect(lines.length).toBeLessThan(30);
  expect(lines[1]).toBe("1000 tests are red before any change:");
  expect(lines).toContain("  20  t.js > test 19");
  expect(lines).toContain("  … and 980 more");
  expect(knownRedOf(many, "20")).toEqual(["*t.js > test 19"]);
  expect(knownRedOf(many, "21")).toBeUndefined();
});

const ARGS = ["--loop-id", "a", "--create", "Repair sum"];
const asks = (io: FakeIo) => io.err().split(PROMPT).length - 1;

async function begun(...args: string[]) {
  const here = await testedProject(plan, repairs, hang);
  const io = here.io({ tty: true, columns: 100, rows: 40, env: { NO_COLOR: "1" } });
  return { here, io, run: here.run(io, "run", ...here.flags, ...args, ...ARGS) };
}

test("an interactive run asks which red tests need not pass, and owes the others", {
  tags: ["slow"],
}, async () => {
  const { here, io, run } = await begun("--interactive");
  await using _ = here;
  await vi.waitFor(() => expect(asks(io)).toBe(1), PATIENCE);
  expect(io.err()).toContain("2 tests are red before any change:");
  expect(io.err()).toMatch(/ {2}1 {2}.*adds two numbers\n {2}2 {2}.*halves a number\n/);
  expect((await stateOf(here, "a")).skill_state?.develop.tasks ?? []).toEqual([]);
  io.type("3\n");
  await vi.waitFor(() => expect(asks(io)).toBe(2), PATIENCE);
  io.type("2\n");
  await vi.waitFor(() => expect(io.err()).toContain("Choose 1-6 or a name: "), PATIENCE);
  expect(io.err()).toMatch(/1 of 2 tests must pass\. Need not pass: .*halves a number\n/);
  const { settings, skill_state } = await stateOf(here, "a");
  expect(settings.known_red).toEqual([expect.stringContaining("halves a number")]);
  expect(skill_state.develop.tasks).toHaveLength(1);
  io.type("exit\n");
  expect((await run).code).toBe(4);
  // A repair of the one that is owed is enough.
  const proven = await here.cli("run", "--loop-id", "a", "--auto");
  expect([proven.code, proven.out]).toEqual([0, expect.stringContaining("Completed and proven")]);
});

test("Enter leaves every red test owed", async () => {
  const { here, io, run } = await begun("--interactive");
  await using _ = here;
  await vi.waitFor(() => expect(asks(io)).toBe(1), PATIENCE);
  io.type("\n");
  await vi.waitFor(() => expect(io.err()).toContain("Choose 1-6 or a name: "), PATIENCE);
  expect(io.err()).toContain("2 of 2 tests must pass.");
  expect((await stateOf(here, "a")).settings.known_red).toBeUndefined();
  io.type("exit\n");
  expect((await run).code).toBe(4);
});

test("what a flag excepts is not asked about", { tags: ["slow"] }, async () => {
  const flags = ["--known-red", "halves", "--known-red", "adds two"];
  const { here, io, run } = await begun("--interactive", ...flags);
  await using _ = here;
  await vi.waitFor(() => expect(io.err()).toContain("Choose 1-6 or a name: "), PATIENCE);
  expect(asks(io)).toBe(0);
  io.type("exit\n");
  expect((await run).code).toBe(4);
});

test("an answer adds to what a flag excepts", { tags: ["slow"] }, async () => {
  const { here, io, run } = await begun("--interactive", "--known-red", "halves");
  await using _ = here;
  await vi.waitFor(() => expect(asks(io)).toBe(1), PATIENCE);
  expect(io.err()).toContain("1 test is red before any change:");
  io.type("adds\n");
  await vi.waitFor(() => expect(io.err()).toContain("Choose 1-6 or a name: "), PATIENCE);
  expect((await stateOf(here, "a")).settings.known_red).toEqual(["halves", "adds"]);
  io.type("exit\n");
  expect((await run).code).toBe(4);
});

test("Ctrl-C at the question pauses the loop, and nothing is excepted", {
  tags: ["slow"],
}, async () => {
  const { here, io, run } = await begun("--interactive");
  await using _ = here;
  await vi.waitFor(() => expect(asks(io)).toBe(1), PATIENCE);
  io.type("\u0003");
  expect((await run).code).toBe(130);
  const { status, settings, skill_state } = await stateOf(here, "a");
  expect([status, settings.known_red, skill_state]).toEqual(["paused", undefined, undefined]);
});

test("with --auto nobody is asked, also in a terminal", { tags: ["slow"] }, async () => {
  const { here, io, run } = await begun("--auto");
  await using _ = here;
  await vi.waitFor(() => expect(io.err()).toContain("$ echo thinking"), PATIENCE);
  expect(asks(io)).toBe(0);
  io.signal("SIGINT");
  expect((await run).code).toBe(130);
});
