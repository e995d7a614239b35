import { z } from "zod";
import type { ServerAnswer, ServerRequest } from "../protocol.ts";
import type { ApprovalRequest, Decision } from "./policy.ts";
import { plainCommand } from "./shell-script.ts";

const CommandApproval = z.object({
  kind: z.string().default("command"),
  itemId: z.string(),
  command: z.string().nullish(),
  cwd: z.string().nullish(),
  reason: z.string().nullish(),
  networkApprovalContext: z.unknown().optional(),
  additionalPermissions: z.unknown().optional(),
});

const FileApproval = z.object({ itemId: z.string(), grantRoot: z.string().nullish() });

/** Requests whose no is not `decision: "decline"`, by their methods. */
const ANSWERED_IN_WORDS: Readonly<
  Record<string, { type: Exclude<ApprovalRequest["type"], "command" | "files">; no: object }>
> = {
  "item/permissions/requestApproval": {
    type: "permissions",
    no: { permissions: {}, scope: "turn" },
  },
  "mcpServer/elicitation/request": {
    type: "elicitation",
    no: { action: "decline", content: null, _meta: null },
  },
  "item/tool/requestUserInput": { type: "question", no: { answers: {} } },
};

/** What a request of Codex asks, in our words; null for one that we do not know. */
export function readQuestion(
  { method, params }: ServerRequest,
  context: { cwd: string; pathsOf: (itemId: string) => readonly string[] },
): ApprovalRequest | null {
  const worded = ANSWERED_IN_WORDS[method];
  switch (method) {
    case "item/commandExecution/requestApproval": {
      const parsed = CommandApproval.safeParse(params);
      return parsed.success ? commandQuestion(parsed.data, context.cwd) : { type: "permissions" };
    }
    case "item/fileChange/requestApproval": {
      const parsed = FileApproval.safeParse(params);
      if (!parsed.success) return { type: "permissions" };
      const { itemId, grantRoot = null } = parsed.data;
      return { type: "files", paths: context.pathsOf(itemId), grantRoot };
    }
    default:
      return worded ? { type: worded.type } : null;
  }
}

function commandQuestion(asked: z.infer<typeof CommandApproval>, cwd: string): ApprovalRequest {
  return {
    type: "command",
    command: plainCommand(asked.command ?? ""),
    cwd: asked.cwd ?? cwd,
    reason: asked.reason ?? null,
    extraRights: Boolean(asked.networkApprovalContext) || Boolean(asked.additionalPermissions),
    stdin: asked.kind !== "command",
  };
}

/** A decision in the words of the request it answers. */
export function answerTo(method: string, { decision }: Decision): ServerAnswer {
  return { result: ANSWERED_IN_WORDS[method]?.no ?? { decision } };
}

/** What was asked, in a line for people. */
export function describeQuestion(request: ApprovalRequest): string {
  if (request.type === "command") return `command: ${request.command}`;
  if (request.type === "files") return `files: ${request.paths.join(", ") || "(not told)"}`;
  return request.type;
}
