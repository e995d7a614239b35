import {
  type Driver,
  type LoopState,
  limitsOf,
  modeOf,
  openObjections,
  redTestsOf,
  reviewLines,
  statusText,
} from "@ccw-loop/core";
import {
  baselineRows,
  comparisonRows,
  coverageLines,
  driverText,
  filesChanged,
  firstLines,
  limitLines,
  type NamedRow,
  namedRows,
  nextCommands,
  nextText,
  objectionLines,
  receiptLines,
  receiptRows,
  sanitizeLine,
  taskLines,
  waitOf,
  whyRows,
  worktreeLines,
} from "@ccw-loop/view";
import { outcomeHint } from "../output/outcome.ts";
import type { Context } from "../runtime/context.ts";
import type { Answer } from "../runtime/perform.ts";

/** One loop, or only the receipt of its last test run. */
export async function show(
  context: Context,
  id: string,
  flags: { receipt?: true },
): Promise<Answer> {
  const loops = await context.parts.loops();
  const state = await loops.get(id);
  if (!flags.receipt) {
    const { driven_by, undriven_since } = await loops.why(id);
    const driver = { driven_by, undriven_since };
    return {
      data: {
        loop: state,
        limits: { max_iterations: state.max_iterations, ...limitsOf(state) },
        scope: state.baseline ? redTestsOf(state) : null,
        objections: openObjections(state),
        ...driver,
        state_file: context.parts.stateFile(id),
      },
      text: text(state, driver, context),
    };
  }
  const receipt = state.receipts?.at(-1);
  const lines = receipt
    ? namedRows([...receiptRows(receipt), ["Reviews", reviewLines(state)]], context.paint)
    : [`Loop ${id} has no receipt: its tests have not been run.`];
  return { data: { loop_id: id, receipt: receipt ?? null }, text: lines.join("\n") };
}

function text(state: LoopState, driver: Driver, { paint, hint, parts }: Context): string {
  const receipt = state.receipts?.at(-1);
  const debug = state.skill_state?.debug;
  const waits = waitOf(state, new Date())?.replace(/^Waits /, "");
  const rows: NamedRow[] = [
    ["Loop", [state.loop_id]],
    ["Status", [outcomeHint(state, endText(state), hint)]],
    ["Driven by", state.status === "running" ? [driverText(driver, new Date())] : []],
    ["Waits", waits === undefined ? [] : [waits]],
    ["Tried", triedLines(state)],
    ["Mode", [modeOf(state)]],
    ["Action", state.action ? [actionText(state.action)] : []],
    ["Limits", limitLines(state)],
    ["Agent", [state.agent?.driver ?? state.settings?.agent ?? "not chosen yet"]],
    ...baselineRows(state),
    ["Tests", receipt ? receiptLines(receipt) : ["not run yet"]],
    ["Coverage", coverageLines(state)],
    ...comparisonRows(receipt?.comparison),
    ["Objections", firstLines(objectionLines(state), 20)],
    ["Reviews", firstLines(reviewLines(state), 20)],
    ["Hypotheses", (debug?.hypotheses ?? []).map((h) => `${h.status}: ${h.description}`)],
    ["Errors", (state.skill_state?.errors ?? []).slice(-3).map((e) => `${e.action}: ${e.message}`)],
    ["Files", filesChanged(state)],
    ["Checkpoints", checkpointLines(state, hint)],
    ["Worktree", worktreeLines(state)],
    ["Changed", [state.updated_at]],
    ["State", [parts.stateFile(state.loop_id)]],
    ["Next", nextCommands(state, driver.undriven_since !== null).map(hint)],
  ];
  return [
    paint("strong", sanitizeLine(state.title)),
    ...namedRows(rows, paint),
    "",
    "Tasks",
    ...taskLines(state),
  ].join("\n");
}

/** What a person has to know who is asked what to do differently. */
function triedLines({ waiting, stall }: LoopState): string[] {
  if (waiting?.kind !== "no_progress") return [];
  return (stall?.tried ?? []).map(
    ({ iteration, action, text }) => `${iteration}. ${action}: ${text}`,
  );
}

/** Which numbers `diff` and `rewind` take, and what the newest one leaves out. */
function checkpointLines(
  { loop_id, checkpoints = [] }: LoopState,
  hint: Context["hint"],
): string[] {
  const [first, last] = [checkpoints.at(0), checkpoints.at(-1)];
  if (!first || !last) return [];
  const skipped = last.skipped.map(({ path, reason }) => `not kept: ${path} (${reason})`);
  const numbers = first === last ? `${last.n}` : `${first.n} to ${last.n}`;
  return [hint(`${numbers}; see: ccw-loop timeline ${loop_id}`), ...firstLines(skipped)];
}

function endText(state: LoopState): string {
  const why = state.outcome ? `: ${state.outcome.message}` : "";
  return `${statusText(state)}${why}`;
}

function actionText(action: NonNullable<LoopState["action"]>): string {
  const cut = action.interrupted === null ? "" : `, interrupted: ${action.interrupted}`;
  return `${action.name}, attempt ${action.attempt}, since ${action.started_at}${cut}`;
}

/** The question of a loop that waits for a person, and what answers it. */
function answerRows(state: LoopState, hint: Context["hint"]): NamedRow[] {
  const { waiting, status } = state;
  if (status !== "running" || !waiting || waiting.kind === "usage_limit") return [];
  return [
    ["Question", firstLines((waiting.prompt ?? "").split("\n").filter(Boolean), 20)],
    ["Next", nextCommands(state).map(hint)],
  ];
}

/** The next action with the rule that chose it and everything the rule looked at. */
export async function why(context: Context, id: string): Promise<Answer> {
  const loops = await context.parts.loops();
  const selection = await loops.why(id);
  const state = await loops.get(id);
  const { paint, hint } = context;
  const [heading, reason] = nextText(selection);
  const text = [
    `${paint("strong", heading)} ${sanitizeLine(outcomeHint(state, reason, hint))}`,
    ...namedRows([...whyRows(selection, state, new Date()), ...answerRows(state, hint)], paint),
  ];
  const data = { loop_id: id, ...selection, objections: openObjections(state) };
  return { data, text: text.join("\n") };
}
