import { resolve } from "node:path";
import type { TurnEvent } from "@ccw-loop/core";
import {
  type Decision,
  decideCommand,
  decideFiles,
  decline,
  plainCommand,
} from "@ccw-loop/processes/agent-policy";
import type { RpcRequest, RpcResponse } from "@ccw-loop/processes/json-rpc";
import { realPath } from "@ccw-loop/processes/plain-file";
import { z } from "zod";
import type { CodexSandbox } from "../options.ts";
import type { Notification } from "../protocol.ts";

interface Rules {
  cwd: string;
  sandbox: CodexSandbox;
  /** Names of folders below `cwd` that the agent is not to change. */
  protect: readonly string[];
  /** The files of an edit, by the edit's id: Codex's question itself does not tell. */
  pathsOf: (itemId: string) => readonly string[];
}

interface Verdict extends Decision {
  /** What was asked, in a line for people. */
  asked: string;
  /** The answer, where the request's no is not `decision: "decline"`. */
  no?: object;
}

export type Approver = ReturnType<typeof approver>;

/** Answers Codex's questions by the stated policy, at once. */
export function approver({
  emit,
  ...project
}: Omit<Rules, "pathsOf"> & { emit: (event: TurnEvent) => void }) {
  const edits = new Map<string, readonly string[]>();
  const rules: Rules = { ...project, pathsOf: (itemId) => edits.get(itemId) ?? [] };

  return {
    /** Learns which files an edit is about. */
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

    async answer(request: RpcRequest): Promise<RpcResponse> {
      const verdict = judge(request, rules);
      if (!verdict) {
        emit({ type: "approval.answered", request: request.method, decision: "refuse" });
        const message = `CCW Loop does not answer ${request.method}.`;
        return { error: { code: -32601, message } };
      }
      const { asked, because, decision, no } = verdict;
      emit({ type: "approval.answered", request: `${asked} (${because})`, decision });
      return { result: no ?? { decision } };
    },
  };
}

const CommandApproval = z.object({
  /** Anything else is input for a command that runs already. */
  kind: z.string().default("command"),
  /** Empty when Codex does not tell. */
  command: z
    .string()
    .nullish()
    .transform((command) => plainCommand(command ?? "")),
  cwd: z.string().nullish(),
  /** Why it asks: the model's plea to leave the sandbox, or a rule of the user. */
  reason: z.string().nullish(),
  /** It wants hosts, paths or other rights besides those of the sandbox. */
  networkApprovalContext: z.unknown().optional(),
  additionalPermissions: z.unknown().optional(),
});

const FileApproval = z.object({ itemId: z.string(), grantRoot: z.string().nullish() });

/** What is declined whatever it says, by its method: why, and its no. */
const ALWAYS_DECLINED: Readonly<Record<string, { asked: string; because: string; no: object }>> = {
  "item/permissions/requestApproval": {
    asked: "permissions",
    because: "it asks for further rights",
    no: { permissions: {}, scope: "turn" },
  },
  "mcpServer/elicitation/request": {
    asked: "elicitation",
    because: "nobody is there to answer an MCP server",
    no: { action: "decline", content: null, _meta: null },
  },
  "item/tool/requestUserInput": {
    asked: "question",
    because: "nobody is there to answer",
    no: { answers: {} },
  },
};

/** A question that cannot be read counts as the worst. */
const UNREADABLE: Verdict = { asked: "permissions", ...decline("it asks for further rights") };

/**
 * The stated policy (`@ccw-loop/processes/agent-policy`) on Codex's questions. Leaving the sandbox, the network, further
 * rights, what a rule of the user wants to be asked about: declined as well. The turn goes on, and the model is told.
 * Null for a request that we do not know.
 *
 * Codex gives a plea to leave the sandbox without a reason the same look as a dangerous command inside of
 * it. Hence the approval policy in `launch/arguments.ts`: there Codex itself refuses every such plea, and
 * what it asks stays in the sandbox.
 */
export function judge({ method, params }: RpcRequest, rules: Rules): Verdict | null {
  switch (method) {
    case "item/commandExecution/requestApproval": {
      const request = CommandApproval.safeParse(params).data;
      if (!request) return UNREADABLE;
      return { asked: `command: ${request.command}`, ...decideCommandRequest(request, rules) };
    }
    case "item/fileChange/requestApproval": {
      const request = FileApproval.safeParse(params).data;
      if (!request) return UNREADABLE;
      const paths = rules.pathsOf(request.itemId).map((path) => realPath(resolve(rules.cwd, path)));
      const asked = `files: ${paths.join(", ") || "(not told)"}`;
      if (typeof request.grantRoot === "string") {
        return { asked, ...decline("it asks for a further folder to write to") };
      }
      return { asked, ...decideFiles(paths, { ...rules, confined: true }) };
    }
    default: {
      const declined = ALWAYS_DECLINED[method];
      return declined ? { ...declined, decision: "decline" } : null;
    }
  }
}

function decideCommandRequest(
  { kind, command, reason, ...request }: z.infer<typeof CommandApproval>,
  { cwd, sandbox, protect }: Rules,
): Decision {
  const folder = realPath(resolve(cwd, request.cwd ?? cwd));
  if (request.networkApprovalContext || request.additionalPermissions)
    return decline("it asks for the network or further rights");
  if (kind !== "command") return decline("it is input for another command");
  if (typeof reason === "string")
    return decline("it gives a reason to leave the sandbox or to be asked");
  return decideCommand(command, folder, { cwd, protect, confined: sandbox === "workspace-write" });
}
