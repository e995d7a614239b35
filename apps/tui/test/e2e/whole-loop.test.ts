/** @module-tag slow */
import { needTmux } from "@ccw-loop/testkit";
import { expect, test } from "vitest";
import { onlyStateIn } from "../support/make-loop.ts";
import { commandLine, sumProject } from "../support/sum-project.ts";
import { openTerminal } from "../support/terminal.ts";
import { WHOLE_LOOP, wholeLoop } from "../support/whole-loop.ts";

const PATIENT = { timeout: 180_000 };

test("a whole loop by keys alone, in this folder", PATIENT, async ({ skip }) => {
  needTmux(skip);
  await using here = await sumProject(...WHOLE_LOOP);
  await using terminal = await openTerminal(commandLine("tui"), here);
  await wholeLoop(terminal);
  await terminal.press("q");
  await terminal.shows("EXIT=0");
  const { outcome, accepted } = await onlyStateIn(here.cwd);
  expect(outcome).toMatchObject({ code: "accepted" });
  expect(accepted).toHaveLength(1);
});
