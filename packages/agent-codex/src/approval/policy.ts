import { isInside } from "@ccw-loop/processes/plain-file";
import type { CodexSandbox } from "../options.ts";
import { namesOnlyInside, namesProtected } from "./shell-script.ts";

/** What is declined whatever it says, and why. */
const ALWAYS_DECLINED = {
  permissions: "it asks for further rights",
  elicitation: "nobody is there to answer an MCP server",
  question: "nobody is there to answer",
};

/** What Codex asks for while a turn runs. Paths are absolute, links resolved. */
export type ApprovalRequest =
  | {
      type: "command";
      /** The script, without the shell around it; empty when Codex does not tell. */
      command: string;
      cwd: string;
      /** Why it asks: the model's plea to leave the sandbox, or a rule of the user. */
      reason: string | null;
      /** It wants hosts, paths or other rights besides those of the sandbox. */
      extraRights: boolean;
      /** Input for a command that runs already. */
      stdin: boolean;
    }
  | { type: "files"; paths: readonly string[]; grantRoot: string | null }
  | { type: keyof typeof ALWAYS_DECLINED };

interface Rules {
  cwd: string;
  sandbox: CodexSandbox;
  /** Names of folders below `cwd` that the agent is not to change. */
  protect: readonly string[];
}

export interface Decision {
  decision: "accept" | "decline";
  because: string;
}

/**
 * The stated policy: nobody sits in front of Codex, so every question is answered at once, and by rule.
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
export function decideApproval(request: ApprovalRequest, rules: Rules): Decision {
  const { cwd, protect } = rules;
  switch (request.type) {
    case "command":
      return decideCommand(request, rules);
    case "files": {
      const { paths, grantRoot } = request;
      if (grantRoot !== null) return decline("it asks for a further folder to write to");
      if (paths.length === 0) return decline("it does not tell which files");
      const outside = paths.find((path) => !isInside(cwd, path) || isProtected(cwd, path, protect));
      return outside === undefined
        ? accept("every file is in the project")
        : decline(`${outside} is not a file to change`);
    }
    default:
      return decline(ALWAYS_DECLINED[request.type]);
  }
}

function decideCommand(
  request: Extract<ApprovalRequest, { type: "command" }>,
  { cwd, sandbox, protect }: Rules,
): Decision {
  if (request.extraRights) return decline("it asks for the network or further rights");
  if (request.stdin) return decline("it is input for another command");
  if (request.reason !== null)
    return decline("it gives a reason to leave the sandbox or to be asked");
  if (request.command === "") return decline("it does not tell which command");
  if (!isInside(cwd, request.cwd)) return decline("it starts outside of the project");
  const kept = protect.map((name) => `${cwd}/${name}`);
  if (namesProtected(kept, request.cwd, request.command))
    return decline("it names a protected folder");
  if (sandbox === "workspace-write") return accept("the sandbox holds it");
  return namesOnlyInside(cwd, request.cwd, request.command)
    ? accept("it names nothing outside of the project")
    : decline("without a sandbox it may reach outside of the project");
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
