import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import type { Sandbox } from "@ccw-loop/agent-acp";
import { type Agent, LoopError, shellWord } from "@ccw-loop/core";
import type { Processes } from "@ccw-loop/processes";
import { plainWords, shellWords } from "@ccw-loop/processes/agent-policy";

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
  /** How long it may give no sign of life, itself or while a command of it runs; ten and twenty minutes unless given. */
  limits?: { silence_ms?: number | undefined; command_ms?: number | undefined } | undefined;
  /** Files and folders of its own, in which it may write: `~/.mine`, `$MINE_HOME`. */
  homes?: readonly string[] | undefined;
}

/** Where it works. */
export interface AcpPlace {
  processes: Processes;
  hidden: readonly string[];
  /** Undefined where nobody said anything. */
  sandbox: Sandbox | undefined;
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

/** The words of a command, paths in it absolute. Throws `invalid_input` where there are none, or only a shell could run it. */
export function acpCommandIn(name: string, base: string): string[] {
  const text = name.slice(PREFIX.length);
  if ((shellWords(text) ?? []).length === 0) {
    throw new LoopError(
      "invalid_input",
      `${JSON.stringify(name)} names no command. Write the program and its arguments behind acp:, as in: --agent "acp:my-agent --acp"`,
    );
  }
  const words = plainWords(text);
  if (words !== null) return atBase(words, base);
  throw new LoopError(
    "invalid_input",
    `${JSON.stringify(name)} is more than a program and its arguments, and no shell runs it. Quote operators, $ and ~ that are meant as they stand, or name a script.`,
  );
}

/**
 * A program that is named by a path, and arguments that begin with ./ or ../, are files counted from `base`: the agent
 * works in another folder. Any other program is looked for on PATH.
 */
export function atBase([program = "", ...args]: readonly string[], base: string): string[] {
  const isPath = program.includes("/") && !isAbsolute(program);
  return [
    isPath ? resolve(base, program) : program,
    ...args.map((word) => (/^\.\.?\//.test(word) ? resolve(base, word) : word)),
  ];
}

/** The files that a command may run: every absolute path in it, and where its program can be on PATH. */
export function filesOf([program = "", ...args]: readonly string[], path = ""): string[] {
  const folders = program.includes("/") ? [] : path.split(delimiter).filter(isAbsolute);
  const places = [...folders.map((folder) => join(folder, program)), program, ...args];
  return places.filter((file) => isAbsolute(file) && existsSync(file));
}

/** Opens an agent by its name, or by the command that `name` stands for. */
export async function openAcp(
  name: string,
  command: AcpCommand | null,
  { sandbox, ...place }: AcpPlace,
): Promise<Agent> {
  const { acpAgent, commandProfile, PROFILES } = await import("@ccw-loop/agent-acp");
  const options = { ...place, ...(sandbox === undefined ? {} : { sandbox }) };
  if (command !== null) {
    const { env: passEnv, limits, ...spec } = command;
    const { silence_ms: silenceMs, command_ms: commandMs } = limits ?? {};
    return acpAgent({
      profile: commandProfile(name, { ...spec, passEnv }),
      limits: { ...(silenceMs ? { silenceMs } : {}), ...(commandMs ? { commandMs } : {}) },
      ...options,
    });
  }
  return acpAgent({ profile: PROFILES[name as AcpName], ...options });
}
