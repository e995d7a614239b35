import { join } from "node:path";
import {
  clip,
  type DevelopTask,
  type LoopState,
  openObjections,
  placeText,
  redTestsOf,
  renderProgress,
  stallLevelOf,
  type TestResult,
  tasksOf,
  testId,
} from "@ccw-loop/core";
import { cloneOf } from "../run/clones.ts";
import type { Execution } from "../run/context.ts";
import { lastOf, taskRunText } from "./debug/evidence-text.ts";
import { runProblem } from "./run-command.ts";

const PROJECT_FILES = ["project-tech.json", "project-guidelines.json"].map((name) =>
  join(".workflow", name),
);

/** The placeholders that every action prompt may use: names and paths, not contents. */
export async function contextValues(execution: Execution): Promise<Record<string, string>> {
  const { ctx, state } = execution;
  const documents = await documentsOf(execution);
  const files: string[] = [];
  for (const path of PROJECT_FILES) {
    if (await ctx.deps.files.exists(join(ctx.cwd, path))) files.push(path);
  }
  return {
    loop_id: ctx.id,
    title: state.title,
    description: state.description || state.title,
    ...documents,
    project_files: files.length === 0 ? "" : `Read first: ${files.join(", ")}`,
    interrupted: interruptedNote(execution, movedNote(execution, documents)),
    baseline: baselineText(state),
  };
}

/** Where the agent reads what the loop did: where the store keeps it, or beside the files of its clone. */
async function documentsOf({
  ctx,
}: Execution): Promise<{ state_file: string; progress_dir: string }> {
  const { store, repositories } = ctx.deps;
  const { state } = await store.read(ctx.id);
  const clone = cloneOf(state);
  const kept = store.progressDir(ctx.id);
  if (!clone) return { state_file: kept.replace(/\.progress$/, ".json"), progress_dir: kept };
  const loop = `${JSON.stringify(state, null, 2)}\n`;
  const folder = await repositories.publish(clone, {
    ...renderProgress(state),
    "loop.json": loop,
  });
  return { state_file: join(folder, "loop.json"), progress_dir: folder };
}

/** What an agent is told whose conversation stayed on another machine; else empty. */
function movedNote({ state }: Execution, { progress_dir }: { progress_dir: string }): string {
  const { agent, workspace, settings, usage } = state;
  const hasSpoken = (usage?.turns ?? 0) > 0 && settings?.session !== "fresh";
  if (workspace?.machine === undefined || !hasSpoken || agent?.session_id) return "";
  const tasks = tasksOf(state).map(({ id, status, summary }) => {
    const what = summary === undefined ? "" : `: ${clip(summary, MESSAGE_KEPT)}`;
    return `- ${id} is ${status}${what}`;
  });
  return [
    `This is a new conversation. The work before was done in one on another machine; read ${join(progress_dir, "develop.md")} for what was done and why.`,
    ...tasks.slice(-NAMED),
    "",
  ].join("\n");
}

function interruptedNote({ state }: Execution, moved: string): string {
  const action = state.action;
  if (!action) return moved;
  const answer =
    action.answer === undefined ? "" : `A person answered your question: ${action.answer}\n`;
  if (action.attempt === 1) return `${moved}${answer}`;
  const files =
    moved === ""
      ? "The files are as they were left then: look at them first."
      : "The files are as they were before it.";
  return `${moved}${answer}This action was begun before and cut off. ${files}\n`;
}

/** So many tests are named in a prompt, and so much of a message. */
const NAMED = 20;
const MESSAGE_KEPT = 1000;

/** How the tests stood before the loop began, for prompts; empty where all of them passed or none were run. */
export function baselineText(state: LoopState): string {
  const { baseline } = state;
  if (!baseline?.command) return "";
  const { owed, known_red } = redTestsOf(state);
  if (owed.length + known_red.length === 0) return "";
  return [
    `Before the loop began \`${baseline.command}\` had ${baseline.counts.failed} failing of ${baseline.counts.total} tests.`,
    ...listed("These are yours to turn green:", owed),
    ...listed("Known failures to ignore:", known_red),
  ].join("\n");
}

/** What DEBUG looks into: the tests of the last run that should have passed, failed tasks, and what must be put back. */
export function failures({ state }: Execution): string {
  const receipt = state.receipts?.at(-1);
  const lines: string[] = [];
  if (receipt && !receipt.passed) {
    lines.push(`\`${receipt.command}\`: ${receipt.reason}`, ...failedTests(state));
  }
  const failed = tasksOf(state).filter(({ status }) => status === "failed");
  lines.push(...lastOf(failed, (task) => taskFailure(task, state)));
  const objections = openObjections(state).map((one) => `${one.message}${placeText(one)}`);
  lines.push(...listed("This speaks against the proof; put it right:", objections));
  return lines.join("\n") || "Nothing is known to fail; look for what could be wrong.";
}

function taskFailure({ id, description, command_run: run }: DevelopTask, state: LoopState) {
  const error = state.skill_state?.errors.findLast(({ action }) => action === "DEVELOP");
  const why = (run && runProblem(run)) ?? error?.message ?? "no reason given";
  const shown = `(${clip(description, MESSAGE_KEPT)}): ${clip(why, MESSAGE_KEPT)}`;
  return [`- Task ${id} failed ${shown}`, ...(run ? [taskRunText(run)] : [])];
}

function failedTests(state: LoopState): string[] {
  const results = state.skill_state?.validate.test_results ?? [];
  const { owed, flaky } = state.skill_state?.validate.comparison ?? {};
  const failed = results.filter(({ status }) => status === "failed");
  const known = new Set(redTestsOf(state).known_red);
  const ours = failed.filter((test) => !known.has(testId(test)));
  const owes = new Set(owed ?? []);
  return [
    ...ours.slice(0, NAMED).map((test) => failureLine(test, owes)),
    ...listed("More tests that fail:", ours.slice(NAMED).map(testId)),
    ...listed("They pass and fail without any change:", flaky ?? []),
    ...listed("Failed before the loop began; ignore them:", [...known]),
  ];
}

function failureLine(test: TestResult, owed: ReadonlySet<string>): string {
  const message = (test.error_message ?? "failed").slice(0, MESSAGE_KEPT);
  const since = owed.has(testId(test)) ? " (failed before the loop began, yours to fix)" : "";
  return `- ${testId(test)}${since}: ${message}`;
}

function listed(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const more = items.length > NAMED ? [`- … and ${items.length - NAMED} more`] : [];
  return [title, ...items.slice(0, NAMED).map((item) => `- ${item}`), ...more];
}

/**
 * For a prompt: that the last iterations brought no progress, what was tried, and what a person said about that; else
 * empty.
 */
export function stallNote(state: LoopState): string {
  const { guidance, tried = [] } = state.stall ?? {};
  const said = guidance === undefined ? [] : [`A person says how to go on: ${guidance}`];
  const { level, stalled } = stallLevelOf(state);
  if (level === "none") return said.map((line) => `${line}\n`).join("");
  return [
    ...said,
    `The last ${stalled} iterations brought no progress. What was tried:`,
    ...tried.map(({ action, text }) => `- ${action}: ${text}`),
    "More of the same will not help. Step back, doubt what you took for granted, and take a different approach.",
    "",
  ].join("\n");
}
