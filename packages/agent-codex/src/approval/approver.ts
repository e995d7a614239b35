import { resolve } from "node:path";
import type { TurnEvent } from "@ccw-loop/core";
import { realPath } from "@ccw-loop/processes/plain-file";
import type { CodexSandbox } from "../options.ts";
import type { Notification, ServerAnswer, ServerRequest } from "../protocol.ts";
import { type ApprovalRequest, decideApproval } from "./policy.ts";
import { answerTo, describeQuestion, readQuestion } from "./questions.ts";

export type Approver = ReturnType<typeof approver>;

/** Answers Codex's questions by the stated policy, at once. */
export function approver(options: {
  cwd: string;
  sandbox: CodexSandbox;
  /** Names of folders below `cwd` that the agent is not to change. */
  protect: readonly string[];
  emit: (event: TurnEvent) => void;
}) {
  const { cwd, sandbox, protect, emit } = options;
  const edits = new Map<string, readonly string[]>();
  const pathsOf = (itemId: string) => edits.get(itemId) ?? [];

  return {
    /** Learns which files an edit is about: Codex's question itself does not tell. */
    onNotification(notification: Notification): void {
      if (notification.method !== "item/started" && notification.method !== "item/completed")
        return;
      const { item } = notification.params;
      if (item.type !== "fileChange") return;
      if (notification.method === "item/completed") edits.delete(item.id);
      else {
        const paths = item.changes.flatMap(({ path, kind }) => [path, kind?.move_path ?? path]);
        edits.set(item.id, [...new Set(paths)]);
      }
    },

    async answer(request: ServerRequest): Promise<ServerAnswer> {
      const asked = readQuestion(request, { cwd, pathsOf });
      if (!asked) {
        emit({ type: "approval.answered", request: request.method, decision: "refuse" });
        const message = `CCW Loop does not answer ${request.method}.`;
        return { error: { code: -32601, message } };
      }
      const decided = decideApproval(withRealPaths(asked, cwd), { cwd, sandbox, protect });
      const described = `${describeQuestion(asked)} (${decided.because})`;
      emit({ type: "approval.answered", request: described, decision: decided.decision });
      return answerTo(request.method, decided);
    },
  };
}

/** Links resolved, so that the policy can judge by name. */
function withRealPaths(asked: ApprovalRequest, cwd: string): ApprovalRequest {
  if (asked.type === "command") return { ...asked, cwd: realPath(resolve(cwd, asked.cwd)) };
  if (asked.type !== "files") return asked;
  return { ...asked, paths: asked.paths.map((path) => realPath(resolve(cwd, path))) };
}
