import type { Observed } from "./observed.ts";
import type { Project } from "./project.ts";

/** What is known of one project when its loop has ended. */
export interface Seen {
  /** Null where there is no loop. */
  loop: Observed | null;
  /** Of `ccw-loop run`, with what it said. */
  exit: number | null;
  said: string;
  /** Of `ccw-loop verify`, with what it said; null where it was not asked. */
  verify: { exit: number | null; said: string } | null;
  /** Of the plain test command on the repaired files; null where it was not run. */
  plain: { exit: number | null; seconds: number } | null;
}

/** What is not as it has to be, in sentences; empty for a project that behaves. */
export function problemsOf(project: Project, seen: Seen): string[] {
  return project.expected === "refused before a turn" ? refused(seen) : proven(project, seen);
}

function refused({ loop, exit, said }: Seen): string[] {
  const problems = [];
  if (exit !== 5)
    problems.push(`The command exits with ${exit} instead of 5: ${endOf(loop, said)}`);
  if ((loop?.turns ?? 0) > 0) problems.push(`The agent was asked ${loop?.turns} times.`);
  return problems;
}

function proven(
  { readers = ["event-lines"] }: Project,
  { loop, exit, said, verify, plain }: Seen,
): string[] {
  if (!loop) return [`There is no loop, and exit code ${exit}: ${said}`];
  const problems = [];
  const [first] = loop.verdicts;
  const read = loop.commands.map(({ report }) => report ?? "exit-code");
  if (loop.status !== "completed" || exit !== 0)
    problems.push(`It ends ${loop.status} with exit code ${exit}: ${endOf(loop, said)}`);
  if (loop.owed.tests + loop.owed.commands === 0) problems.push("Nothing is red at the start.");
  if (first !== undefined && first !== "red")
    problems.push(`The first verdict, on the wrong repair, is "${first}".`);
  if (loop.status === "completed" && loop.verdicts.at(-1) !== "proven")
    problems.push(`The last verdict is "${loop.verdicts.at(-1)}".`);
  if (read.join() !== readers.join())
    problems.push(`Read as ${read.join(", ") || "nothing"} instead of ${readers.join(", ")}.`);
  if (verify && verify.exit !== 0)
    problems.push(`Its receipt does not stand (exit code ${verify.exit}): ${verify.said}`);
  if (plain && plain.exit !== 0)
    problems.push(`Its own tests exit with ${plain.exit} on the files as they should be.`);
  return problems;
}

function endOf(loop: Observed | null, said: string): string {
  return loop?.why || said || "no reason given";
}
