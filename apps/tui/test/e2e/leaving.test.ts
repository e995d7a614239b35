import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { needTmux } from "@ccw-loop/testkit";
import { expect, test } from "vitest";
import { loopsIn, makeLoop, stateIn } from "../support/make-loop.ts";
import { commandLine, hangs, plans, repairs, sumProject } from "../support/sum-project.ts";
import { openTerminal } from "../support/terminal.ts";

const CRASHING = fileURLToPath(new URL("../support/crashing-tui.ts", import.meta.url));
const PATIENT = { timeout: 180_000 };
const STTY = "stty -a | tr ' ;' '\\n\\n' | grep -xE -- '-?(icanon|echo|isig|opost)' | tr '\\n' ' '";

test.for([
  ["title", "It crashed: This title cannot be read."],
  ["frame", "It crashed: This frame cannot be drawn."],
  ["later", "Thrown out of nowhere."],
])(
  "a crash gives the terminal back and says what happened: %s",
  { tags: ["slow"] },
  async ([kind, said], { skip }) => {
    needTmux(skip);
    const command = `'${process.execPath}' '${CRASHING}' ${kind}; code=$?; ${STTY}; (exit $code)`;
    await using terminal = await openTerminal(command, { cwd: tmpdir(), env: { HOME: tmpdir() } });
    const screen = await terminal.shows(/EXIT=\d+/);
    expect(screen).toContain(said);
    expect(screen).toMatch(/EXIT=(1|7)$/m);
    expect(screen.match(/-?\b(isig|icanon|echo|opost)\b/g)?.sort()).toEqual([
      "echo",
      "icanon",
      "isig",
      "opost",
    ]);
    expect(await terminal.modes()).toEqual({ alternate: false, cursor: true });
  },
);

test("q asks what becomes of a loop that is driven here; kill -9 leaves it to the next one", {
  ...PATIENT,
  tags: ["slow"],
}, async ({ skip }) => {
  needTmux(skip);
  await using here = await sumProject(plans, hangs, hangs, repairs);
  await makeLoop(here.cwd);
  const { pid, command } = withPid(here.env);
  await using terminal = await openTerminal(command, here);
  await terminal.shows("The sum");
  await terminal.press("s");
  await terminal.press("Enter");
  await terminal.shows("I am thinking about it");
  await terminal.press("C-c");
  await terminal.shows("1 loop is driven here");
  await terminal.press("Escape");
  await terminal.shows((screen) => !screen.includes("1 loop is driven here"));

  await using next = await openTerminal(`kill -9 $(cat '${pid}'); ${commandLine("tui")}`, here);
  await terminal.shows("EXIT=137");
  await next.shows("The sum");
  await next.press("Enter");
  await next.shows(/^The sum +running · driven by nobody/m);
  await next.press("s");
  // Nothing is lost, and nothing is done twice: the action that was cut off is repeated.
  await next.shows(/▸ DEVELOP \S+ \(attempt 2\)/);
  await next.shows((screen) => screen.split("$ echo I am thinking about it").length > 2);
  await next.press("C-c");
  await next.shows("1 loop is driven here");
  await next.press("p");
  await next.shows("EXIT=0");
  expect((await stateIn(here.cwd)).status).toBe("paused");
  expect(await next.modes()).toEqual({ alternate: false, cursor: true });
});

test(
  "SIGTERM gives the terminal back, and leaves the loop running for the next one",
  PATIENT,
  async ({ skip }) => {
    needTmux(skip);
    await using here = await sumProject(plans, hangs);
    await makeLoop(here.cwd);
    const { pid, command } = withPid(here.env);
    await using terminal = await openTerminal(command, here);
    await terminal.shows("The sum");
    await terminal.press("s");
    await terminal.press("Enter");
    await terminal.shows("I am thinking about it");
    process.kill(Number(await readFile(pid, "utf8")), "SIGTERM");
    await terminal.shows("EXIT=143");
    expect(await terminal.modes()).toEqual({ alternate: false, cursor: true });
    await using loops = loopsIn(here.cwd);
    expect(await loops.service.get("sum")).toMatchObject({ status: "running" });
    expect(await loops.service.why("sum")).toMatchObject({ driven_by: null });
  },
);

/** The command, and the file in which its process says its number. */
function withPid({ HOME = "" }: Record<string, string>) {
  const pid = join(HOME, "pid");
  return { pid, command: `sh -c "echo \\$\\$ > '${pid}'; exec ${commandLine("tui")}"` };
}
