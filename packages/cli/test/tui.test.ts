import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { needTmux } from "@ccw-loop/testkit";
import { expect, test, vi } from "vitest";
import { TUI_BIN } from "./support/bin.ts";
import { hang, plan, project, stateOf } from "./support/project.ts";
import { openTerminal } from "./support/terminal.ts";

const PATIENCE = { timeout: 25_000, interval: 50 };

test.each([
  ["here", []],
  ["elsewhere", ["--url", "http://127.0.0.1:1"]],
])(
  "without a terminal it says which commands there are, and touches nothing (%s)",
  async (_, args) => {
    await using here = await project(plan);
    const { code, out, err } = await here.cli("tui", ...args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("needs a terminal");
    expect(err).toMatch(/ccw-loop .*list/);
    expect(readdirSync(join(here.dir, ".workflow", ".loop"))).toEqual([]);
  },
);

test("it has no document, and says which command has", async () => {
  await using here = await project(plan);
  const { code, out } = await here.cli("tui", "--json");
  expect(code).toBe(2);
  expect(JSON.parse(out)).toMatchObject({
    command: "tui",
    error: { code: "invalid_input", message: expect.stringContaining("ccw-loop list --json") },
  });
});

test("a configuration of it that is no JSON is refused with its path", async () => {
  await using here = await project(plan);
  const folder = join(here.dir, "ccw-loop");
  mkdirSync(folder);
  writeFileSync(join(folder, "tui.json"), "{");
  const { code, err } = await here.run(here.io({ env: { XDG_CONFIG_HOME: here.dir } }), "tui");
  expect(code).toBe(2);
  expect(err).toContain(`${join(folder, "tui.json")} is not valid JSON`);
});

test("an agent cannot open it for its own project", async () => {
  await using here = await project(plan);
  const { code, err } = await here.run(here.io({ env: { CCW_LOOP_DRIVES: here.dir } }), "tui");
  expect(code).toBe(6);
  expect(err).toContain("only its operator may change it");
});

test("the program takes the terminal, and gives it back as it was", async ({ skip }) => {
  needTmux(skip);
  await using here = await project(plan);
  const terminal = openTerminal(`echo BEFORE; '${process.execPath}' '${TUI_BIN}'`, here.dir, {});
  await vi.waitFor(() => expect(terminal.screen()).toContain("Make the first loop"), PATIENCE);
  expect(terminal.screen()).not.toContain("BEFORE");
  terminal.keys("q");
  await vi.waitFor(() => expect(terminal.screen()).toBe("BEFORE\nEXIT=0"), PATIENCE);
});

test("a signal gives the terminal back and leaves the loop running for the next supervisor", async ({
  skip,
}) => {
  needTmux(skip);
  await using here = await project(plan, hang);
  await here.cli("start", ...here.flags, "--auto", "--loop-id", "a", "Answer it");
  const program = `echo $$ > pid; exec "${process.execPath}" "${TUI_BIN}"`;
  const terminal = openTerminal(`echo BEFORE; sh -c '${program}'`, here.dir, {});
  await vi.waitFor(() => expect(terminal.screen()).toContain("Answer it"), PATIENCE);
  terminal.keys("s");
  const action = async () => (await stateOf(here, "a")).action?.name;
  await vi.waitFor(async () => expect(await action()).toBe("DEVELOP"), PATIENCE);
  process.kill(Number(readFileSync(join(here.dir, "pid"), "utf8")), "SIGTERM");
  await vi.waitFor(() => expect(terminal.screen()).toBe("BEFORE\nEXIT=143"), PATIENCE);
  expect(await stateOf(here, "a")).toMatchObject({ status: "running" });
  const { out } = await here.cli("why", "a", "--json");
  expect(JSON.parse(out).data.driven_by).toBeNull();
});
