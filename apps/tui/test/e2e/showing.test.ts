/** @module-tag slow */
import { needTmux } from "@ccw-loop/testkit";
import { expect, test } from "vitest";
import { makeLoop } from "../support/make-loop.ts";
import { commandLine, hangs, plans, repairs, sumProject } from "../support/sum-project.ts";
import { openTerminal } from "../support/terminal.ts";

const PATIENT = { timeout: 180_000 };
const TOO_SMALL = /needs a terminal of 60 columns and 16 rows/;
const ESC = "\u001b";
const COLOR = new RegExp(`${ESC}\\[(\\d+;)*(3[0-8]|9[0-7]|4[0-8]|10[0-7])(;\\d+)*m`);

test(
  "the screen follows the size of its terminal, and says when that is too small",
  PATIENT,
  async ({ skip }) => {
    needTmux(skip);
    await using here = await sumProject(plans);
    await makeLoop(here.cwd, { title: "合計 🛒 the sum" });
    await using terminal = await openTerminal(commandLine("tui"), here);
    await terminal.shows("合計 🛒 the sum");
    for (const [columns, rows] of [
      [80, 24],
      [60, 16],
      [140, 50],
    ] as const) {
      await terminal.resize(columns, rows);
      const screen = await terminal.shows(
        (seen) =>
          seen.includes("合計 🛒 the sum") && /enter open/.test(seen.split("\n")[rows - 1] ?? ""),
      );
      expect(screen.split("\n")).toHaveLength(rows);
    }
    for (const [columns, rows] of [
      [59, 16],
      [60, 15],
      [20, 5],
    ] as const) {
      await terminal.resize(columns, rows);
      const flat = (seen: string) =>
        seen
          .split("\n")
          .map((row) => row.trim())
          .join(" ");
      await terminal.shows(
        (seen) => TOO_SMALL.test(flat(seen)) && flat(seen).includes(`${columns} and ${rows}`),
      );
    }
    await terminal.resize(100, 30);
    await terminal.shows(/enter open/);
  },
);

test(
  "colors come as the terminal can show them, and not at all for NO_COLOR",
  PATIENT,
  async ({ skip }) => {
    needTmux(skip);
    await using here = await sumProject(plans);
    await makeLoop(here.cwd);
    const shown = async (env: Record<string, string>) => {
      const terminal = await openTerminal(commandLine("tui"), {
        ...here,
        env: { ...here.env, ...env },
      });
      await using _ = terminal;
      await terminal.shows(/The sum[\s\S]*enter open/);
      return await terminal.colored();
    };
    const [plain, sixteen, truecolor] = await Promise.all([
      shown({ NO_COLOR: "1" }),
      shown({}),
      shown({ COLORTERM: "truecolor" }),
    ]);
    expect(plain).not.toMatch(COLOR);
    expect(sixteen).toMatch(COLOR);
    expect(sixteen).not.toContain("[38;2;");
    expect(truecolor).toContain("[38;2;");
  },
);

test("--plain tells the same in lines, and never goes back", PATIENT, async ({ skip }) => {
  needTmux(skip);
  await using here = await sumProject(plans, repairs);
  await makeLoop(here.cwd);
  await using terminal = await openTerminal(commandLine("tui", "--plain"), { ...here, rows: 200 });
  await terminal.shows("The sum");
  expect((await terminal.modes()).alternate).toBe(false);
  await terminal.press("Enter");
  await terminal.shows("No action runs.");
  const before = await terminal.screen();
  await terminal.press("s");
  const after = await terminal.shows(/DEVELOP done: It adds\./);
  // What was told stands where it stood.
  expect(after.startsWith(before)).toBe(true);
  expect(after).not.toMatch(/[╭╮╰╯│█▁]/);
  await terminal.shows("Completed: ");
  await terminal.press("Escape");
  await terminal.shows((seen) => seen.lastIndexOf("enter open") > seen.lastIndexOf("esc back"));
  await terminal.press("q");
  await terminal.shows("EXIT=0");
});

test("two of them show the same loop, and either one pauses it", PATIENT, async ({ skip }) => {
  needTmux(skip);
  await using here = await sumProject(plans, hangs, repairs);
  await makeLoop(here.cwd);
  await using one = await openTerminal(commandLine("tui"), here);
  await using other = await openTerminal(commandLine("tui"), here);
  await Promise.all([one.shows("The sum"), other.shows("The sum")]);
  await one.press("s");
  await Promise.all([one.press("Enter"), other.press("Enter")]);
  await Promise.all([one.shows("I am thinking about it"), other.shows("I am thinking about it")]);
  await one.shows("driven here");
  await other.shows(/driven by cli:/);
  await other.press("p");
  await Promise.all([one.shows(/^The sum +paused/m), other.shows(/^The sum +paused/m)]);
  await one.press("p");
  await Promise.all([one.shows(/^The sum +completed/m), other.shows(/^The sum +completed/m)]);
});
