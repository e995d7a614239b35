import {
  agentFlag,
  isLoopError,
  type LoopEdit,
  LoopError,
  type LoopService,
  type LoopState,
  type Mode,
  modeOf,
  openTasks,
  requireOpen,
  statusText,
  taskCommand,
  visible,
  withoutUndefined,
} from "@ccw-loop/core";
import { nextCommands, nextText, sanitizeLine, waitingText, worktreeOf } from "@ccw-loop/view";
import { editOf, newLoopOf, settingsFor } from "../config/flags.ts";
import { outcomeData } from "../output/outcome.ts";
import type { LoopFlags, SettingFlags } from "../program/options.ts";
import type { Context } from "../runtime/context.ts";
import { requireKnownOrigin } from "../runtime/operator-origin.ts";
import type { Answer } from "../runtime/perform.ts";
import { canAsk } from "../runtime/prompt.ts";
import { taskInput } from "../runtime/text-input.ts";
import { type DriveOptions, drive } from "./drive.ts";

export interface RunFlags extends LoopFlags, DriveOptions {
  dryRun?: true;
  loopId?: string;
  create?: true;
  worktree?: true;
  edit?: true;
}

/** `run TASK` makes a loop and drives it; `run --loop-id ID` goes on with one. Never both, never neither. */
export async function run(
  context: Context,
  given: string | undefined,
  flags: RunFlags,
): Promise<Answer> {
  requireOneOf(given ?? (flags.edit ? "" : undefined), flags);
  if (flags.dryRun) return dryRun(context, flags.loopId);
  const settings = await settingsFor(context, flags);
  const loops = await context.parts.loops();
  const known = await findLoop(loops, flags);
  requireTerminal(context, known ? modeWith(flags, known) : settings.values.mode);
  if (known && flags.worktree) {
    const { path = "the project itself" } = worktreeOf(known) ?? {};
    throw new LoopError(
      "invalid_input",
      `Loop ${known.loop_id} works in ${path} already; --worktree is for a new loop.`,
    );
  }
  if (!known) {
    const { loopId } = flags;
    if (given === undefined && !flags.edit) {
      throw new LoopError(
        "invalid_input",
        `There is no loop ${loopId} yet: give a TASK to make it.`,
      );
    }
    const task = await taskInput(context, given, flags);
    const { loop_id: id } = await loops.create(newLoopOf(task, settings.values, flags));
    const { cwd, root } = context;
    if (cwd !== root) context.say(`The loop belongs to ${root}, the project that ${cwd} lies in.`);
    return driveNew(context, id, flags);
  }
  const changes = editOf(settings, flags);
  if (changes) {
    await requireKnownOrigin(known, "run");
    await loops.send(known.loop_id, { type: "edit", changes });
    await tellUnusedWaiver(context, known.loop_id, flags);
  }
  return drive(context, known.loop_id, flags);
}

/** Leaves no loop behind that was refused before it began, because another one works on the files. */
async function driveNew(context: Context, id: string, flags: RunFlags): Promise<Answer> {
  try {
    return await drive(context, id, flags);
  } catch (error) {
    if (!isLoopError(error, "workspace_busy")) throw error;
    const loops = await context.parts.loops();
    if ((await loops.get(id)).status !== "created") throw error;
    await loops.delete(id);
    const [why] = error.message.split(" Then: ");
    throw new LoopError("workspace_busy", `${why} Then give the command again.`, {
      cause: error,
      details: error.details,
    });
  }
}

function requireOneOf(task: string | undefined, { loopId, create }: RunFlags): void {
  const problem =
    task === undefined && loopId === undefined
      ? "Give run a TASK, --edit to write one, or --loop-id to go on with a loop."
      : task !== undefined && loopId !== undefined && !create
        ? "Give run a TASK or --loop-id, not both; with --create it makes a loop of that id for the TASK."
        : create && loopId === undefined
          ? "Give --create the id of the loop to make, with --loop-id."
          : undefined;
  if (problem !== undefined) throw new LoopError("invalid_input", problem);
}

/** The loop to go on with; undefined when one is to be made. Throws `loop_not_found`, for an ended one `invalid_transition`. */
async function findLoop(
  loops: LoopService,
  { loopId, create }: RunFlags,
): Promise<LoopState | undefined> {
  if (loopId === undefined) return undefined;
  try {
    const state = await loops.get(loopId);
    requireOpen(state);
    return state;
  } catch (error) {
    if (create && isLoopError(error, "loop_not_found")) return undefined;
    throw error;
  }
}

/** The mode that a loop has once the flags are applied. */
function modeWith(flags: SettingFlags, state: LoopState): Mode {
  if (flags.auto) return "auto";
  return flags.interactive ? "interactive" : modeOf(state);
}

/** An interactive loop needs somebody to choose. */
function requireTerminal(context: Context, mode: Mode): void {
  if (mode === "auto" || canAsk(context.io)) return;
  throw new LoopError(
    "invalid_input",
    "An interactive loop needs a terminal to ask in. Use --auto to let the rules choose every action.",
  );
}

export interface ResumeFlags extends LoopFlags, DriveOptions {
  dryRun?: true;
  reopen?: true;
  /** A usage limit is tried at once. */
  now?: true;
  /** False for `--no-run`. */
  run: boolean;
}

/** Resumes a loop and drives it here, unless somebody else drives it already. */
export async function resume(context: Context, id: string, flags: ResumeFlags): Promise<Answer> {
  if (flags.dryRun) return dryRun(context, id);
  const settings = await settingsFor(context, flags);
  const loops = await context.parts.loops();
  const before = await loops.get(id);
  if (!flags.reopen) requireOpen(before);
  const { driven_by } = await loops.why(id);
  if (flags.run && driven_by === null) requireTerminal(context, modeWith(flags, before));
  const changes = editOf(settings, flags);
  if (changes) await requireKnownOrigin(before, "resume");
  if (before.status === "created" || before.status === "running") {
    if (changes) await loops.send(id, { type: "edit", changes });
  }
  if (before.status !== "running") await loops.send(id, command(before, flags, changes));
  else if (flags.now) await loops.send(id, { type: "resume", now: true });
  if (changes) await tellUnusedWaiver(context, id, flags);
  if (!flags.run || driven_by !== null) return answerSent(context, id, driven_by);
  try {
    return await drive(context, id, flags);
  } catch (error) {
    if (!isLoopError(error, "loop_busy")) throw error;
    return answerSent(context, id, (await loops.why(id)).driven_by);
  }
}

/** A waiver is for a project without tests: where there are some, they are run. */
async function tellUnusedWaiver(
  { parts, remote, root, say, paintError }: Context,
  id: string,
  { waiveTests }: LoopFlags,
): Promise<void> {
  if (waiveTests === undefined || remote !== null) return;
  const { baseline, settings, workspace } = await (await parts.loops()).get(id);
  const given = settings?.verify ?? (baseline?.command || undefined);
  const plan = await parts.verifier.detect(workspace?.path ?? root, given);
  if (plan === null) return;
  const text = `--waive-tests is not used: there are tests, and they are run with: ${plan.command}`;
  say(paintError("warning", sanitizeLine(text)));
}

function command({ status }: LoopState, { reopen }: ResumeFlags, changes: LoopEdit | undefined) {
  if (status === "created") return { type: "start" as const };
  return { type: "resume" as const, ...withoutUndefined({ reopen, changes }) };
}

async function answerSent(context: Context, id: string, drivenBy: string | null): Promise<Answer> {
  const state = await (await context.parts.loops()).get(id);
  const who =
    drivenBy === null
      ? undrivenAdvice(state)
      : `It is driven by ${drivenBy}. Follow it with: ccw-loop watch ${id}`;
  const data = { ...outcomeData(state, context), driven_by: drivenBy };
  return { data, text: context.hint(`Loop ${id} is ${statusText(state)}. ${who}`) };
}

/** What to do with a loop that nobody drives: one that waits is not helped by somebody who does. */
function undrivenAdvice(state: LoopState): string {
  const { loop_id: id, status, waiting } = state;
  if (status !== "running" || !waiting) {
    return `Nobody drives it yet: ccw-loop run --loop-id ${id}${agentFlag(state)}`;
  }
  const { prompt, ...wait } = waiting;
  return `It ${waitingText(wait, new Date()).replace("Waits", "waits")}. Go on with: ${nextCommands(state)[0]}`;
}

/** What a loop would do next, and every command that would be run for a task of it. Nothing is changed, nothing is run. */
export async function dryRun(context: Context, id: string | undefined): Promise<Answer> {
  if (id === undefined) {
    throw new LoopError(
      "invalid_input",
      "--dry-run is for a loop that exists: a new one has no tasks yet. Name it with --loop-id, or make it first with: ccw-loop start TASK",
    );
  }
  const loops = await context.parts.loops();
  const selection = await loops.why(id);
  const state = await loops.get(id);
  const commands = openTasks(state).flatMap((task) => {
    const command = taskCommand(task);
    return command === null ? [] : [{ task_id: task.id, command }];
  });
  const [heading, reason] = nextText(selection);
  const text = [
    `${context.paint("strong", heading)} ${sanitizeLine(reason)}`,
    ...(commands.length === 0 ? ["No open task is a command."] : ["Commands of open tasks:"]),
    ...commands.map(({ task_id, command }) => commandText(task_id, command)),
    ...(selection.action === "INIT" ? ["The agent may plan more of them."] : []),
  ];
  return {
    data: { loop_id: id, action: selection.action, reason, commands },
    text: text.join("\n"),
  };
}

/** Every line of it, each below the one before; nothing of it is hidden. */
function commandText(id: string, command: string): string {
  const head = `  ${sanitizeLine(id)}  $ `;
  return head + visible(command.trimEnd()).replaceAll("\n", `\n${" ".repeat(head.length)}`);
}
