import { spawnSync } from "node:child_process";

/** The command line that runs a command in a terminal of its own; null where nothing can open one. */
export function inTerminal(command: string): string | null {
  const word = `'${command.replaceAll("'", "'\\''")}'`;
  return opensTerminal() ? `script -qec ${word} /dev/null` : null;
}

let works: boolean | undefined;

/** Whether `script` is the one that takes a command, as on Linux. */
function opensTerminal(): boolean {
  works ??=
    spawnSync("script", ["-qec", "test -t 1", "/dev/null"], { stdio: "ignore", timeout: 10_000 })
      .status === 0;
  return works;
}
