import { resolve } from "node:path";
import type { TurnEvent } from "@ccw-loop/core";
import type { RpcRequest, RpcResponse } from "@ccw-loop/processes/json-rpc";
import { isInside, realPath } from "@ccw-loop/processes/plain-file";
import { z } from "zod";
import type { CodexSandbox } from "../options.ts";
import type { Notification } from "../protocol.ts";
import { namesOnlyInside, namesProtected, plainCommand } from "./shell-script.ts";

interface Rules {
  cwd: string;
  sandbox: CodexSandbox;
  /** Names of folders below `cwd` that the agent is not to change. */
  protect: readonly string[];
  /** The files of an edit, by the edit's id: Codex's question itself does not tell. */
  pathsOf: (itemId: string) => readonly string[];
}

interface Decision {
  decision: "accept" | "decline";
  because: string;
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
 * The stated policy: nobody sits in front of Codex, so every question is answered at once, and by rule. Null for a
 * request that we do not know.
 *
 * - A dangerous command (`rm -rf build`) that stays in the sandbox is accepted: the sandbox holds it.
 * - Without a sandbox it is accepted only if it plainly names nothing outside the project.
 * - What names a protected folder is declined, in the sandbox as well, which would not let it write there.
 * - Leaving the sandbox, the network, further rights, writing outside the project, what a rule of the user
 *   wants to be asked about: declined. The turn goes on, and the model is told.
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
      return { asked: `command: ${request.command}`, ...decideCommand(request, rules) };
    }
    case "item/fileChange/requestApproval": {
      const request = FileApproval.safeParse(params).data;
      if (!request) return UNREADABLE;
      const paths = rules.pathsOf(request.itemId).map((path) => realPath(resolve(rules.cwd, path)));
      const asked = `files: ${paths.join(", ") || "(not told)"}`;
      return { asked, ...decideFiles(paths, request.grantRoot ?? null, rules) };
    }
    default: {
      const declined = ALWAYS_DECLINED[method];
      return declined ? { ...declined, decision: "decline" } : null;
    }
  }
}

function decideCommand(
  { kind, command, reason, ...request }: z.infer<typeof CommandApproval>,
  { cwd, sandbox, protect }: Rules,
): Decision {
  const folder = realPath(resolve(cwd, request.cwd ?? cwd));
  if (request.networkApprovalContext || request.additionalPermissions)
    return decline("it asks for the network or further rights");
  if (kind !== "command") return decline("it is input for another command");
  if (typeof reason === "string")
    return decline("it gives a reason to leave the sandbox or to be asked");
  if (command === "") return decline("it does not tell which command");
  if (!isInside(cwd, folder)) return decline("it starts outside of the project");
  const kept = protect.map((name) => `${cwd}/${name}`);
  if (namesProtected(kept, folder, command)) return decline("it names a protected folder");
  if (sandbox === "workspace-write") return accept("the sandbox holds it");
  return namesOnlyInside(cwd, folder, command)
    ? accept("it names nothing outside of the project")
    : decline("without a sandbox it may reach outside of the project");
}

function decideFiles(
  paths: readonly string[],
  grantRoot: string | null,
  { cwd, protect }: Rules,
): Decision {
  if (grantRoot !== null) return decline("it asks for a further folder to write to");
  if (paths.length === 0) return decline("it does not tell which files");
  const outside = paths.find((path) => !isInside(cwd, path) || isProtected(cwd, path, protect));
  return outside === undefined
    ? accept("every file is in the project")
    : decline(`${outside} is not a file to change`);
}

/** The project's own machinery: hooks and settings that would run later, with nobody asked; what is protected. */
function isProtected(cwd: string, path: string, protect: readonly string[]): boolean {
  return [".git", ".codex", ...protect].some((folder) => isInside(`${cwd}/${folder}`, path));
}

function accept(because: string): Decision {
  return { decision: "accept", because };
}

function decline(because: string): Decision {
  return { decision: "decline", because };
}
