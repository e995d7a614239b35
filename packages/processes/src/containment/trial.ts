import { existsSync, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { runContained } from "./bubblewrap.ts";
import { type Containment, mayWrite } from "./mounts.ts";

export interface Attempt {
  what: "write" | "read" | "signal";
  /** A path; for `signal` the number of a process. */
  target: string;
  allowed: boolean;
}

export interface TriedAttempt extends Attempt {
  succeeded: boolean;
}

/** What has to succeed and what has to fail in a containment: the home folder, and each place that it speaks of. */
export function attemptsOf(containment: Containment, outside = process.pid): Attempt[] {
  const { writable, readable, hidden } = containment;
  const places = new Set([...writable, ...readable, ...hidden, homedir()]);
  const writes = [...places].map(
    (target): Attempt => ({ what: "write", target, allowed: mayWrite(containment, target) }),
  );
  const reads = hidden
    .flatMap((folder) => filesIn(folder))
    .map((target): Attempt => ({ what: "read", target, allowed: false }));
  return [...writes, ...reads, { what: "signal", target: `${outside}`, allowed: false }];
}

/** Files are opened as they are; in folders a file is made and removed again. */
const SCRIPT = `
write() {
  if [ -d "$1" ]; then ( : > "$1/.ccw-loop-trial.$$" ) && rm -f "$1/.ccw-loop-trial.$$"
  else ( : >> "$1" ); fi
}
read_() { ( : < "$1" ); }
signal() { kill -0 "$1"; }
while [ $# -gt 0 ]; do
  if "$1" "$2"; then echo 1; else echo 0; fi
  shift 2
done
`;

/** Lets a contained shell try all of it. Rejects where it could not be run. */
export async function tryContainment(
  bubblewrap: string,
  containment: Containment,
  attempts: readonly Attempt[],
): Promise<TriedAttempt[]> {
  const words = attempts.flatMap(({ what, target }) => [what === "read" ? "read_" : what, target]);
  const said = await runContained(bubblewrap, containment, [
    "/bin/sh",
    "-c",
    SCRIPT,
    "sh",
    ...words,
  ]);
  const answers = said.trim().split("\n");
  if (answers.length !== attempts.length) throw new Error("the trial was cut off");
  return attempts.map((attempt, i) => ({ ...attempt, succeeded: answers[i] === "1" }));
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
}
