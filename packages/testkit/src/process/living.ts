import { commandLineOf, runningProcesses } from "@ccw-loop/processes";

/** True while this process still runs. A zombie does not: it is dead and only waits to be collected. */
export function isAlive(pid: number): boolean {
  return runningProcesses().some((one) => one.pid === pid);
}

/** The pids of the processes whose command line contains `text`. */
export function processesRunning(text: string): number[] {
  return runningProcesses()
    .filter((one) => commandLineOf(one).includes(text))
    .map(({ pid }) => pid);
}
