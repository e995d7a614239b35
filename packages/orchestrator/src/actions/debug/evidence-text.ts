import {
  clip,
  type DevelopTask,
  type Hypothesis,
  isUnsettled,
  judgeEvidence,
  type ProbeEvidence,
  predictionText,
  type TaskRun,
} from "@ccw-loop/core";

/** How much of a reason and of an output a prompt shows. */
const REASON_SHOWN = 400;
const OUTPUT_SHOWN = 3_000;
const COMMAND_SHOWN = 1_000;
const FAILURES_SHOWN = 3;

/** What earlier turns found out, rejected ideas among them, each in a line. */
export function hypothesesText(ideas: readonly Hypothesis[]): string {
  const lines = ideas.map((idea) => {
    const { id, status, description, verdict_reason, closed_at } = idea;
    const unsettled = isUnsettled(idea) ? "confirmed, not settled" : status;
    const standing = closed_at ? "confirmed and repaired" : unsettled;
    return `- ${standing} ${id}: ${clipped(description)}${verdict_reason ? ` (${clipped(verdict_reason)})` : ""}`;
  });
  return lines.length === 0 ? "" : `What is known:\n${lines.join("\n")}\n`;
}

/** Ideas that were not accepted because they repeat a rejected one; empty where there are none. */
export function repeatedText(repeated: readonly string[]): string {
  if (repeated.length === 0) return "";
  const lines = repeated.map((text) => `- ${text}`);
  return `Not taken in, for evidence has ruled it out (a new idea needs an id of its own):\n${lines.join("\n")}\n`;
}

/** Why probes of the last answer were not run; empty where all were. */
export function rejectedProbesText(problems: readonly string[]): string {
  return problems.length === 0 ? "" : `${problems.map((text) => `- ${text}`).join("\n")}\n`;
}

export function evidenceText(
  shown: readonly { idea: Hypothesis; evidence: readonly ProbeEvidence[] }[],
): string {
  return shown
    .map(({ idea, evidence }) => [head(idea), ...evidence.map(showed)].join("\n"))
    .join("\n\n");
}

function head({ id, description, evidence_criteria }: Hypothesis): string {
  const { confirm, reject } = evidence_criteria;
  return [
    `${id}: ${description}`,
    ...(confirm ? [`  confirmed by: ${confirm}`] : []),
    ...(reject ? [`  rejected by: ${reject}`] : []),
  ].join("\n");
}

function showed({ data }: ProbeEvidence): string {
  const { command, probe, exit_code, duration_ms, output, timed_out, not_run, instrumented } = data;
  const lines = [`  probe: ${command}`];
  if (probe) {
    lines.push(`  if it holds: ${predictionText(probe.if_holds)}`);
    lines.push(`  if it does not: ${predictionText(probe.if_not)}`);
  }
  if (instrumented.length > 0) lines.push(`  instrumented: ${instrumented.join(", ")}`);
  if (not_run !== undefined)
    return [...lines, `  could not be run, so it shows nothing: ${not_run}`].join("\n");
  const ended = timed_out
    ? `  did not end and was stopped after ${duration_ms} ms`
    : `  exit code ${exit_code} after ${duration_ms} ms`;
  const { status, reason } = judgeEvidence(data);
  return [...lines, ended, ...printed(output), `  so it is ${status}: ${reason}`].join("\n");
}

function printed(output: string): string[] {
  const tail = output.slice(-OUTPUT_SHOWN).trimEnd();
  return tail === "" ? ["  it printed nothing"] : ["  its last lines:", indented(tail)];
}

export function taskRunText({ command, exit_code, timed_out, output }: TaskRun): string {
  const ended = timed_out ? "stopped at its time limit" : `exit code ${exit_code}`;
  const what = `  command: ${clip(command, COMMAND_SHOWN)}`;
  return [what, `  ${ended}`, ...printed(output)].join("\n");
}

/** What the commands of the last failed tasks showed; empty where none failed. */
export function failedRunsText(tasks: readonly DevelopTask[]): string {
  const runs = tasks.flatMap(({ id, status, command_run: run }) =>
    status === "failed" && run ? [{ id, run }] : [],
  );
  if (runs.length === 0) return "";
  const lines = lastOf(runs, ({ id, run }) => [`- ${id}`, taskRunText(run)]);
  return `Commands of tasks that failed:\n${lines.join("\n")}\n`;
}

/** The lines of the last few, and how many more there are. */
export function lastOf<T>(all: readonly T[], linesOf: (one: T) => readonly string[]): string[] {
  const more = all.length - FAILURES_SHOWN;
  const left = more > 0 ? [`- … and ${more} more before these`] : [];
  return [...left, ...all.slice(-FAILURES_SHOWN).flatMap(linesOf)];
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "    | ");
}

function clipped(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > REASON_SHOWN ? `${line.slice(0, REASON_SHOWN)}…` : line;
}
