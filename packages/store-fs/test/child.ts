import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Starts one of the programs in `children/`; it does not outlive the test. */
export function startChild(name: string, ...args: string[]): ChildProcess {
  const child = fork(join(import.meta.dirname, "children", `${name}.ts`), args, {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return child;
}

/** The next message of a child; fails when it ends without one. */
export async function messageOf<T>(child: ChildProcess): Promise<T> {
  const [first] = await Promise.race([
    once(child, "message"),
    once(child, "exit").then(([code]) => {
      throw new Error(`The child ended with ${code} before it said anything.`);
    }),
  ]);
  return first;
}
