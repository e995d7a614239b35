import { needTmux } from "@ccw-loop/testkit";
import { expect, test, vi } from "vitest";
import { BIN } from "./support/bin.ts";
import { findCause, hang, type Project, plan, project, stateOf, write } from "./support/project.ts";
import { openTerminal } from "./support/terminal.ts";
import { renames, testedProject } from "./support/tested-project.ts";

const PATIENCE = { timeout: 25_000, interval: 50 };

const command = ({ flags }: Project, ...args: string[]) =>
  [process.execPath, BIN, "run", ...flags, ...args, "--loop-id", "a", "--create", "Answer it"]
    .map((word) => `'${word}'`)
    .join(" ");

test("a real terminal shows the folded list, drawn in place", async ({ skip }) => {
  needTmux(skip);
  const talk = { say: { text: "line of talk\n".repeat(40), over_ms: 1500 } };
  const slow = { ...write("41"), steps: [talk, { write: { path: "answer", content: "41" } }] };
  await using here = await project(plan, slow, findCause, write("42"));
  const terminal = openTerminal(command(here, "--auto"), here.dir, {});
  await vi.waitFor(() => {
    const screen = terminal.screen();
    expect(screen).toMatch(/▸ DEVELOP {2}\[.*\] {2}task 1\/1: find the answer\n {6}line of talk\n/);
    expect(screen).toContain("○ VALIDATE\n○ COMPLETE");
  }, PATIENCE);
  await vi.waitFor(() => expect(terminal.screen()).toContain("EXIT=0"), PATIENCE);
  const screen = terminal.screen();
  // The last frame stays, and it stands there once.
  expect(screen).toMatch(
    /^Answer it\na · completed · 5 of 10 iterations · \S.*\n✔ INIT\n✖ Iterations 1-2: DEVELOP \+ VALIDATE \(fail\)\n✔ Iterations 3-5: DEBUG \+ DEVELOP \+ VALIDATE \(pass\)\n✔ COMPLETE\n/,
  );
  expect(screen).toContain("Completed and proven: Answer it");
  expect(screen).not.toContain("line of talk");
  expect(screen.match(/✔ INIT/g)).toHaveLength(1);
});

test("Ctrl-C pauses the loop and leaves one whole frame behind", async ({ skip }) => {
  needTmux(skip);
  await using here = await project(plan, hang);
  const terminal = openTerminal(command(here, "--auto"), here.dir, {});
  await vi.waitFor(() => expect(terminal.screen()).toMatch(/ {6}thinking$/m), PATIENCE);
  terminal.keys("C-c");
  await vi.waitFor(() => expect(terminal.screen()).toContain("EXIT=130"), PATIENCE);
  const screen = terminal.screen();
  expect(screen).toContain("Pausing the loop.");
  expect(screen.match(/^a · .*/gm)).toEqual([expect.stringContaining("a · paused · 0 of 10")]);
  expect(screen).toMatch(/‖ Iteration 1\n {2}‖ DEVELOP {2}interrupted by SIGINT\n/);
});

test("a real terminal asks whether tests that cannot follow may count", { tags: ["slow"] }, async ({
  skip,
}) => {
  needTmux(skip);
  await using here = await testedProject(plan, renames("half"));
  const line = command(here, "--auto");
  const terminal = openTerminal(line, here.dir, {});
  const shows = (part: string | RegExp) =>
    vi.waitFor(() => expect(terminal.screen()).toMatch(part), PATIENCE);
  await shows(/is a function[\s\S]*\nAnswer \(accept, reject\):$/);
  terminal.keys("yes", "Enter");
  await shows(/Answer \(accept, reject\): yes\nAnswer \(accept, reject\):$/);
  terminal.keys("accept", "Enter");
  await shows("EXIT=0");
  expect(terminal.screen()).toMatch(/Accepted +accepted: /);
});

test("a real terminal asks at INIT which red tests need not pass", { tags: ["slow"] }, async ({
  skip,
}) => {
  needTmux(skip);
  await using here = await testedProject(plan, hang);
  const terminal = openTerminal(command(here, "--interactive"), here.dir, {});
  const shows = (part: string | RegExp) =>
    vi.waitFor(() => expect(terminal.screen()).toMatch(part), PATIENCE);
  await shows(
    /2 tests are red before any change:\n[\s\S]*halves a number\n[\s\S]*Which need not pass\? \[none\]$/,
  );
  terminal.keys("halves", "Enter");
  await shows(/1 of 2 tests must pass\. Need not pass: .*halves a number/);
  await shows(/Choose 1-6 or a name:$/);
  terminal.keys("exit", "Enter");
  await shows("EXIT=4");
  expect((await stateOf(here, "a")).settings.known_red).toEqual(["halves"]);
});

test("a real terminal asks with the menu, and Ctrl-C pauses a turn", { tags: ["slow"] }, async ({
  skip,
}) => {
  needTmux(skip);
  await using here = await project(plan, hang);
  const terminal = openTerminal(command(here, "--interactive"), here.dir, {});
  const shows = (part: string | RegExp) =>
    vi.waitFor(() => expect(terminal.screen()).toMatch(part), PATIENCE);
  await shows(/ {2}1 {2}Continue development.*\n[\s\S]*Choose 1-6 or a name:$/);
  terminal.keys("nonsense", "Enter");
  await shows("Unknown choice. Choose one of: develop");
  terminal.keys("develop", "Enter");
  await shows(/ {6}thinking$/m);
  terminal.keys("C-c");
  await shows("EXIT=130");
  expect(terminal.screen()).toContain("Paused: Answer it");
  expect((await here.cli("show", "a")).out).toMatch(/Status +paused/);
});
