import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { needTmux } from "@ccw-loop/testkit";
import { expect, test, vi } from "vitest";
import { TUI_BIN } from "./support/bin.ts";
import { plan, project } from "./support/project.ts";
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
