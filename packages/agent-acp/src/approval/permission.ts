import {
  type Decision,
  decideCommand,
  decideFiles,
  decline,
  type ProjectRules,
} from "@ccw-loop/processes/agent-policy";
import { isInside, realPath } from "@ccw-loop/processes/plain-file";
import { listAt, textAt } from "../json.ts";
import type { ToolCall } from "../turn/tool-call.ts";

export interface Verdict extends Decision {
  /** What was asked, in a line for people. */
  asked: string;
}

/**
 * The stated policy on a question about a tool call. What goes on the network, changes the mode, or tells neither a
 * command nor a path is declined.
 */
export function judge(call: ToolCall, rules: ProjectRules): Verdict {
  const { command, kind } = call;
  const { cwd } = rules;
  const paths = call.paths.map((path) => realPath(path));
  const asked = paths.length > 0 ? `${kind}: ${paths.join(", ")}` : `${kind}: ${call.title}`;
  if (call.isCommand) {
    return {
      asked: `command: ${command}`,
      ...decideCommand(command, realPath(call.folder), rules),
    };
  }
  if (call.isEdit)
    return { asked: `files: ${paths.join(", ") || "(not told)"}`, ...decideFiles(paths, rules) };
  const reads = kind === "read" || kind === "search";
  if (reads && paths.length > 0) {
    const outside = paths.find((path) => !isInside(cwd, path));
    return outside === undefined
      ? { asked, decision: "accept", because: "it only reads in the project" }
      : { asked, ...decline(`${outside} is outside of the project`) };
  }
  return { asked, ...decline("it tells neither a command nor a file of the project") };
}

/** What an option means. Those that would hold for later questions, too, are never chosen. */
const KIND = { accept: "allow_once", decline: "reject_once" } as const;

export type Outcome = { outcome: "selected"; optionId: string } | { outcome: "cancelled" };

/** The option for a decision, by its kind alone; `cancelled` where the agent offers none. */
export function outcomeOf(decision: Decision["decision"], params: unknown): Outcome {
  const option = listAt(params, "options").find((one) => textAt(one, "kind") === KIND[decision]);
  const optionId = textAt(option, "optionId");
  return optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId };
}
