import type { LoopCommand } from "@ccw-loop/core";
import { statusSummary } from "@ccw-loop/view";
import type { Answer } from "../../model/calls.ts";
import type { Effect } from "../../model/effect.ts";
import type { Model } from "../../model/model.ts";
import { withNotice } from "../../model/stack.ts";
import type { Step } from "../screen.ts";
import { withDriver } from "./driver.ts";
import type { LoopScreenState } from "./state.ts";

/** What came of a command, and who drives the loop. */
export function answered(screen: LoopScreenState, answer: Answer, model: Model): Step | undefined {
  if (answer.name === "why" && answer.call.name === "why" && answer.call.id === screen.id) {
    return { model: answer.ok ? withDriver(model, screen.id, answer.value) : model };
  }
  if (answer.call.name !== "send" || answer.call.id !== screen.id) return undefined;
  return commandResult(answer, model);
}

/** Says how the loop stands behind a command, and goes on with it where that was asked for. */
export function commandResult(answer: Answer, model: Model): Step | undefined {
  if (answer.call.name !== "send") return undefined;
  const { id, command } = answer.call;
  if (!answer.ok) return { model: withNotice(model, answer.error.message, "bad") };
  if (answer.name !== "send") return undefined;
  const words = `${WORDS[command.type] ?? "Done"}: the loop is ${statusSummary(answer.value, new Date(model.now))}.`;
  const drive: Effect[] = resumesDriving(command) ? [{ type: "drive", id }] : [];
  return {
    model: withNotice(model, words, "good"),
    effects: [...drive, { type: "call", call: { name: "why", id } }],
  };
}

const WORDS: Readonly<Partial<Record<LoopCommand["type"], string>>> = {
  start: "Started",
  pause: "Paused",
  resume: "Resumed",
  stop: "Stopped",
  exit: "Exited",
  edit: "Changed",
  choose: "Chosen",
  answer: "Answered",
};

/** A loop that waited holds nobody: somebody has to take it up again. */
function resumesDriving({ type }: LoopCommand): boolean {
  return type === "resume" || type === "choose" || type === "answer";
}
