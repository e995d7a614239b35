import {
  type Decision,
  decideCommand,
  decideFiles,
  decline,
  type ProjectRules,
} from "@ccw-loop/processes/agent-policy";
import { isInside, realPath } from "@ccw-loop/processes/plain-file";
import { listAt, textAt } from "../json.ts";
import { EDITS } from "../turn/tool-call.ts";
import type { ToolFacts } from "../turn/tool-facts.ts";

export interface Verdict extends Decision {
  /** What was asked, in a line for people. */
  asked: string;
}

/**
 * The stated policy on a question about a tool call: every part of it that is told has to pass, the command and each
 * path. `command` counts only for the kind `execute`: tools that edit use that field for something else. What goes on the network, changes
 * the mode, or tells neither a command nor a path is declined.
 */
export function judge(asked: ToolFacts, rules: ProjectRules): Verdict {
  const { kind = "other", title = "", command = "", folder = rules.cwd, hasDiff = false } = asked;
  const paths = (asked.paths ?? []).map((path) => realPath(path));
  const isEdit = hasDiff || EDITS.includes(kind);
  const decisions = [
    ...(kind === "execute" ? [decideCommand(command, realPath(folder), rules)] : []),
    ...(isEdit ? [decideFiles(paths, rules)] : []),
    ...(READS.includes(kind) && paths.length > 0 ? [READING] : []),
    ...paths.filter((path) => !isInside(rules.cwd, path)).map(strayed),
  ];
  const names = paths.join(", ");
  const line =
    kind === "execute"
      ? `command: ${command}`
      : isEdit
        ? `files: ${names || "(not told)"}`
        : `${kind}: ${names || title}`;
  const declined = decisions.find(({ decision }) => decision === "decline");
  return { asked: line, ...(declined ?? decisions[0] ?? NOTHING_TOLD) };
}

const READS: readonly string[] = ["read", "search"];
const READING: Decision = { decision: "accept", because: "it only reads in the project" };
const NOTHING_TOLD = decline("it tells neither a command nor a file of the project");

function strayed(path: string): Decision {
  return decline(`${path} is outside of the project`);
}

/** What an option means. Those that would hold for later questions, too, are never chosen. */
const KIND = { accept: "allow_once", decline: "reject_once" } as const;

export type Outcome = { outcome: "selected"; optionId: string } | { outcome: "cancelled" };

/** The option for a decision, by its kind alone; `cancelled` where the agent offers none. */
export function optionFor(decision: Decision["decision"], params: unknown): Outcome {
  const option = listAt(params, "options").find((one) => textAt(one, "kind") === KIND[decision]);
  const optionId = textAt(option, "optionId");
  return optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId };
}
