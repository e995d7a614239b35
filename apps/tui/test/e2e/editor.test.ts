/** @module-tag slow */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { needTmux } from "@ccw-loop/testkit";
import { expect, test } from "vitest";
import { commandLine, sumProject } from "../support/sum-project.ts";
import { openTerminal } from "../support/terminal.ts";

const EDITOR = `#!/bin/sh
printf 'A line for the editor: '
IFS= read -r line
printf '%s, and %s\\n' "$(cat "$1")" "$line" > "$1"
`;

test.for([
  ["frames", []],
  ["lines", ["--plain"]],
] as const)(
  "the editor has the terminal and every key, then the interface has them again: %s",
  { timeout: 120_000 },
  async ([, options], { skip }) => {
    needTmux(skip);
    await using here = await sumProject();
    const editor = join(here.env.HOME ?? "", "editor");
    await writeFile(editor, EDITOR, { mode: 0o755 });
    const env = { ...here.env, EDITOR: editor };
    await using terminal = await openTerminal(commandLine("tui", ...options), { ...here, env });
    await terminal.shows("Make the first loop");
    await terminal.press("n");
    await terminal.shows("Test command");
    await terminal.type("one");
    await terminal.shows(/Task:? +one/);
    await terminal.press("C-g");
    await terminal.shows("A line for the editor:");
    expect((await terminal.modes()).alternate).toBe(false);
    await terminal.type("two");
    await terminal.press("Enter");
    await terminal.shows(/Task:? +one, and two/);
    await terminal.type(", three");
    await terminal.shows(/Task:? +one, and two, three/);
    expect((await terminal.modes()).alternate).toBe(options.length === 0);
    await terminal.press("C-c");
    await terminal.shows("EXIT=0");
  },
);
