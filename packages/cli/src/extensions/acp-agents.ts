import { isAbsolute, resolve } from "node:path";
import { type Agent, LoopError, shellWord } from "@ccw-loop/core";
import type { Processes } from "@ccw-loop/processes";
import { shellWords } from "@ccw-loop/processes/agent-policy";

/** The agents that speak the Agent Client Protocol and are known by name, and what each is. */
export const ACP_AGENTS = {
  gemini: "Gemini CLI",
  qwen: "Qwen Code",
  claude: "Claude, by its ACP adapter",
  opencode: "OpenCode",
  copilot: "GitHub Copilot CLI",
  "codex-acp": "Codex, by its ACP adapter",
} as const;

export type AcpName = keyof typeof ACP_AGENTS;
export const ACP_NAMES = Object.keys(ACP_AGENTS) as AcpName[];

/** A program that speaks the protocol, as an operator names it. */
export interface AcpCommand {
  command: readonly string[];
  /** It behaves like this one. */
  like?: AcpName | undefined;
  /** The mode in which it asks before it writes or runs. */
  mode?: string | undefined;
  /** Names of variables that it needs. */
  env?: readonly string[] | undefined;
}

const PREFIX = "acp:";

/** Whether a name means a command: `acp:my-agent --acp`. */
export function isAcpCommand(name: string): boolean {
  return name.startsWith(PREFIX);
}

/** The name of a command, as `--agent` takes it and a loop keeps it. */
export function acpCommandName(command: readonly string[]): string {
  return PREFIX + command.map(shellWord).join(" ");
}

/** The words of a command, its program absolute where it is a path. Throws `invalid_input` where there are none. */
export function acpCommandIn(name: string, base: string): string[] {
  const words = shellWords(name.slice(PREFIX.length));
  if (words !== null && words.length > 0) return atBase(words, base);
  throw new LoopError(
    "invalid_input",
    `${JSON.stringify(name)} names no command. Write the program and its arguments behind acp:, as in: --agent "acp:my-agent --acp"`,
  );
}

/** A program that is named by a path is looked for beside `base`, any other on PATH. */
export function atBase([program = "", ...args]: readonly string[], base: string): string[] {
  const isPath = program.includes("/") && !isAbsolute(program);
  return [isPath ? resolve(base, program) : program, ...args];
}

/** Opens an agent by its name, or by the command that `name` stands for. */
export async function openAcp(
  name: string,
  command: AcpCommand | null,
  processes: Processes,
): Promise<Agent> {
  const { acpAgent, commandProfile, PROFILES } = await import("@ccw-loop/agent-acp");
  if (command !== null) {
    const { env: passEnv, ...spec } = command;
    return acpAgent({ profile: commandProfile(name, { ...spec, passEnv }), processes });
  }
  return acpAgent({ profile: PROFILES[name as AcpName], processes });
}
