/** @module-tag slow */
import { needTmux } from "@ccw-loop/testkit";
import { test } from "vitest";
import { codexProject } from "../support/codex-project.ts";
import { commandLine } from "../support/sum-project.ts";
import { openTerminal } from "../support/terminal.ts";

test("the real Codex is watched from its first try over DEBUG to the proof", {
  timeout: 120_000,
}, async ({ skip }) => {
  needTmux(skip);
  await using here = await codexProject();
  const size = { columns: 120, rows: 45 };
  await using terminal = await openTerminal(commandLine("tui"), { ...here, ...size });
  const { press, type, shows } = terminal;
  await shows("No loops here yet.");
  await press("n");
  await shows("What the agent is to do.");
  await type("Make the cart charge the right price: all tests of the project pass");
  await press("Tab", "Tab", "Tab", "Tab", "Tab");
  await shows("▸ Mode");
  await press("Right");
  await press("C-s");
  await shows(/\$ .*cat > src\/cart\.js/, 60_000);
  await shows(/✖ VALIDATE|VALIDATE \(fail\)/, 60_000);
  await shows("H1 #1 confirmed", 60_000);
  await shows("proven: The project's own tests passed", 60_000);
  await press("v");
  await shows("It proves the work");
});
