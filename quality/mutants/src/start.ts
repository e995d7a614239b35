import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { environOf, runningProcesses } from "../../../packages/processes/src/index.ts";

/** How a program ended; `code` is null when it was ended because its time was over. */
export interface Ended {
  code: number | null;
  output: string;
}

const MARK = "CCW_LOOP_MUTANTS";

/**
 * Runs a program with Node in a folder and ends everything that it left behind: what a mutant breaks may be the end of
 * processes.
 */
export async function start(
  cwd: string,
  command: readonly string[],
  { temporary, limitMs }: { temporary: string; limitMs: number },
): Promise<Ended> {
  const mark = `${MARK}=${randomUUID()}`;
  const { CI: _, ...env } = process.env;
  const child = spawn(process.execPath, [...command], {
    cwd,
    env: { ...env, NO_COLOR: "1", TMPDIR: temporary, [MARK]: mark.slice(MARK.length + 1) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const leave = () => endMarked(mark);
  process.once("exit", leave);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    endMarked(mark);
  }, limitMs);
  const closed = once(child, "close");
  const [code] = await once(child, "exit");
  clearTimeout(timer);
  endMarked(mark);
  process.off("exit", leave);
  await closed;
  return { code: late ? null : (code ?? 1), output };
}

/** All processes that have it in their environment; again, until none of them started another one meanwhile. */
function endMarked(mark: string): void {
  for (let tries = 0; tries < 20; tries++) {
    const left = runningProcesses().filter(({ pid }) => environOf(pid).includes(mark));
    if (left.length === 0) return;
    for (const { pid } of left) kill(pid);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended in the meantime.
  }
}
