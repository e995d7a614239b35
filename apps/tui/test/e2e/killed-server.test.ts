/** @module-tag slow */
import { needTmux } from "@ccw-loop/testkit";
import { expect, test } from "vitest";
import { onlyStateIn } from "../support/make-loop.ts";
import { server } from "../support/server.ts";
import { commandLine, sumProject } from "../support/sum-project.ts";
import { openTerminal } from "../support/terminal.ts";
import { WHOLE_LOOP, wholeLoop } from "../support/whole-loop.ts";

const PATIENT = { timeout: 180_000 };

test(
  "a whole loop by keys alone, over a server that is killed in the middle of it",
  PATIENT,
  async ({ skip }) => {
    needTmux(skip);
    await using here = await sumProject(...WHOLE_LOOP);
    await using control = await server(here);
    const size = { columns: 120, rows: 45 };
    const command = commandLine("tui", "--url", control.url);
    await using terminal = await openTerminal(command, { ...here, ...size });
    await wholeLoop(terminal, async () => {
      const told = ["$ echo I am thinking about it", "$ echo I wait for a word", "repair the sum"];
      await control.kill();
      const lost = await terminal.shows("not connected for");
      for (const line of told) expect(lost).toContain(line);
      await control.start();
      const back = await terminal.shows("Connected again to");
      for (const line of told) expect(back).toContain(line);
      // The server takes the loop up again, and the agent gets to where it was.
      await terminal.shows((screen) => screen.split("$ echo I wait for a word").length > 2);
    });
    await terminal.press("q");
    await terminal.shows("EXIT=0");
    const { outcome, accepted } = await onlyStateIn(here.cwd);
    expect(outcome).toMatchObject({ code: "accepted" });
    expect(accepted).toHaveLength(1);
  },
);
