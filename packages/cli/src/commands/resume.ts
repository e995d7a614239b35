import {
  isLoopError,
  type LoopEdit,
  type LoopState,
  requireOpen,
  statusText,
} from "@ccw-loop/core";
import { nextCommands, waitingText } from "@ccw-loop/view";
import type { Answer, StreamedAnswer } from "../answer.ts";
import type { Context } from "../context.ts";
import { requireKnownOrigin } from "../driven.ts";
import type { LoopFlags } from "../program/options.ts";
import { editOf, settingsFor } from "../settings/flags.ts";
import { outcomeData } from "../views/outcome.ts";
import { type DriveOptions, drive } from "./drive.ts";
import { modeWith, requireTerminal } from "./run.ts";

export interface ResumeFlags extends LoopFlags, DriveOptions {
  reopen?: true;
  /** A usage limit is tried at once. */
  now?: true;
  /** False for `--no-run`. */
  run: boolean;
}

/** Resumes a loop and drives it here, unless somebody else drives it already. */
export async function resume(
  context: Context,
  id: string,
  flags: ResumeFlags,
): Promise<Answer | StreamedAnswer> {
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
  if (!flags.run || driven_by !== null) return answerSent(context, id, driven_by);
  try {
    return await drive(context, id, flags);
  } catch (error) {
    if (!isLoopError(error, "loop_busy")) throw error;
    return answerSent(context, id, (await loops.why(id)).driven_by);
  }
}

function command({ status }: LoopState, { reopen }: ResumeFlags, changes: LoopEdit | undefined) {
  if (status === "created") return { type: "start" as const };
  return {
    type: "resume" as const,
    ...(reopen ? { reopen } : {}),
    ...(changes ? { changes } : {}),
  };
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
    return `Nobody drives it yet: ccw-loop run --loop-id ${id}`;
  }
  const { prompt, ...wait } = waiting;
  return `It ${waitingText(wait, new Date()).replace("Waits", "waits")}. Go on with: ${nextCommands(state)[0]}`;
}
