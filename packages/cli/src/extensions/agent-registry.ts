import { join } from "node:path";
import type { Sandbox } from "@ccw-loop/agent-acp";
import { type Agent, type AgentPlace, LoopError, shellWord } from "@ccw-loop/core";
import type { Processes } from "@ccw-loop/processes";
import { type AgentChoice, agentForms, agentNameProblem, chosenAgent } from "@ccw-loop/view";
import {
  ACP_AGENTS,
  ACP_NAMES,
  type AcpCommand,
  type AcpPlace,
  acpCommandIn,
  acpCommandName,
  filesOf,
  isAcpCommand,
  openAcp,
} from "./acp-agents.ts";
import { checkedAgent } from "./checked-agent.ts";
import { openModule } from "./load.ts";
import { isInProject, isOperatorsOwn, type OperatorModule } from "./module-file.ts";
import type { OperatorModules } from "./operator-modules.ts";

interface Place extends Omit<AgentPlace<Processes>, "options"> {
  /** What the operator said of it; for agents that speak the Agent Client Protocol. */
  sandbox?: Sandbox | undefined;
}

/** An agent by its name, and how it is opened; what opening needs is loaded then. */
interface RegisteredAgent extends AgentChoice {
  /** What contains it: the sandbox that the operator chooses, one of its own, or nothing. */
  containedBy: "operator" | "itself" | "nothing";
  open(place: Place, argument: string): Promise<Agent>;
}

const BUILT_IN: readonly RegisteredAgent[] = [
  {
    name: "codex",
    describe: "OpenAI Codex",
    containedBy: "itself",
    async open({ processes, hidden }) {
      const { codexAgent } = await import("@ccw-loop/agent-codex");
      return codexAgent({ processes, hide: hidden });
    },
  },
  ...ACP_NAMES.map((name) => ({
    name,
    describe: ACP_AGENTS[name],
    containedBy: "operator" as const,
    open: (place: Place) => openAcp(name, null, placeOf(place)),
  })),
  {
    name: "scripted",
    argument: "FILE",
    describe: "replays a file",
    containedBy: "nothing",
    async open({ root, processes }, file) {
      const { scriptedAgent } = await import("@ccw-loop/testkit");
      // One home for the project and its worktrees, so that a fork can copy a conversation.
      const home = join(root, ".workflow", "scripted-agent");
      return scriptedAgent({ file, home, processes });
    },
  },
];

/** What the operator said about agents, and where to warn. */
export interface AgentSources {
  /** Modules and commands of this command line, with absolute paths. */
  named: readonly string[];
  own: OperatorModules;
  /** The operator's own configuration file. */
  ownFile: string;
  warn: (message: string) => void;
}

/**
 * The agents that this process knows: those built in, those of the operator's own configuration, and the modules and
 * commands of this command line. A path or a command that stands anywhere else, in a loop's state or in a request, is in
 * none of these and is never run.
 */
export class AgentRegistry {
  readonly #sources: AgentSources;
  readonly #modules: readonly RegisteredAgent[];
  /** By their paths and commands: loops that were made with one have that as the name. */
  readonly #paths: ReadonlyMap<string, RegisteredAgent>;
  readonly #warned = new Set<string>();

  /** Throws `invalid_input` for a module of the operator's that has the name of an agent built in. */
  constructor(sources: AgentSources) {
    this.#sources = sources;
    const { named, own, ownFile } = sources;
    const taken = BUILT_IN.find(({ name }) => own.agents.has(name));
    if (taken) {
      const message = `agents.${taken.name} in ${ownFile} has the name of an agent that is built in. Call it otherwise.`;
      throw new LoopError("invalid_input", message);
    }
    this.#modules = [...own.agents].map(([name, agent]) =>
      "command" in agent ? this.#commandEntry(name, agent) : this.#entry(name, agent),
    );
    const typed = named.map((name) =>
      isAcpCommand(name)
        ? this.#commandEntry(name, { command: acpCommandIn(name, "/") })
        : this.#entry(name, { file: name, options: undefined }),
    );
    // What describes a module is its file, and a command what it is.
    this.#paths = new Map([...typed, ...this.#modules].map((agent) => [agent.describe, agent]));
  }

  /** Those with names, and the modules of this command line. */
  get choices(): readonly AgentChoice[] {
    const typed = this.#sources.named.flatMap((file) => this.#paths.get(file) ?? []);
    return [...this.#known, ...typed.filter(({ name }) => isOperatorsOwn(name))];
  }

  get #known(): readonly RegisteredAgent[] {
    return [...BUILT_IN, ...this.#modules];
  }

  /** What to say of a name that is not registered, as the end of a sentence. */
  problem(name: string): string | undefined {
    if (this.#find(name) !== undefined) return undefined;
    if (!isOperatorsOwn(name)) return agentNameProblem(name, this.#known);
    const what = isAcpCommand(name) ? "a command is run" : "a module is loaded";
    return `${what} only where its operator names it, with --agent or in their own configuration`;
  }

  /** Throws `agent_unavailable` for a name that is not registered, `agent_misconfigured` for a module that is no agent. */
  async open(name: string, place: Place): Promise<Agent> {
    const found = this.#find(name);
    if (found) {
      requireSandbox(found.agent, place.sandbox);
      if (place.sandbox?.kind === "container") {
        this.#warnOfFiles(place.sandbox.command, place.root);
      }
      return found.agent.open(place, found.argument);
    }
    const { ownFile } = this.#sources;
    const details = { agent: name };
    if (!isOperatorsOwn(name)) {
      throw new LoopError(
        "agent_unavailable",
        `No agent ${JSON.stringify(name)} is registered here; there are ${agentForms(this.#known)}. Register it under agents in ${ownFile}, or choose another one with --agent. See them with: ccw-loop agents list`,
        { details },
      );
    }
    const [what, rule] = isAcpCommand(name)
      ? ["the command", "a command is run"]
      : ["the module", "a module is loaded"];
    throw new LoopError(
      "agent_unavailable",
      `The loop's agent is ${what} ${name}, and ${rule} only where its operator names it. Name it again with: --agent ${shellWord(name)}`,
      { details: { ...details, hint: `Or register it, ${registration(name, ownFile)}` } },
    );
  }

  #find(name: string): { agent: RegisteredAgent; argument: string } | undefined {
    const byPath = this.#paths.get(name);
    return byPath ? { agent: byPath, argument: "" } : chosenAgent(name, this.#known);
  }

  #entry(name: string, module: OperatorModule): RegisteredAgent {
    const { file } = module;
    return {
      name,
      describe: file,
      containedBy: "nothing",
      open: async (place) => {
        this.#warnOf("module", file, place.root);
        return checkedAgent(await openModule("agent", module, place), file);
      },
    };
  }

  /** A command that speaks the Agent Client Protocol. */
  #commandEntry(name: string, command: AcpCommand): RegisteredAgent {
    return {
      ...{ name, describe: acpCommandName(command.command), containedBy: "operator" },
      open: async (place) => {
        this.#warnOfFiles(command.command, place.root);
        // A loop keeps the command as its agent's name.
        return openAcp(isAcpCommand(name) ? "acp" : name, command, placeOf(place));
      },
    };
  }

  #warnOfFiles(command: readonly string[], root: string): void {
    for (const file of filesOf(command, process.env.PATH)) this.#warnOf("program", file, root);
  }

  /** Once for each file. */
  #warnOf(what: string, file: string, root: string): void {
    if (!isInProject(file, root) || this.#warned.has(file)) return;
    this.#warned.add(file);
    this.#sources.warn(
      `The agent ${what} ${file} lies inside of the project: agents may write there, and what they write is run with your rights. Keep it elsewhere.`,
    );
  }
}

/** Throws `sandbox_unavailable` for an agent that cannot run where its operator wants it. */
function requireSandbox(
  { name, containedBy }: RegisteredAgent,
  sandbox: Sandbox | undefined,
): void {
  if (sandbox?.kind === "container" && containedBy !== "operator") {
    throw new LoopError(
      "sandbox_unavailable",
      `The agent ${name} does not run in a container of yours: that is for agents by the Agent Client Protocol, such as codex-acp. Choose one of these, or another --sandbox.`,
    );
  }
  if (sandbox?.kind === "workspace" && containedBy === "nothing") {
    throw new LoopError(
      "sandbox_unavailable",
      `Nothing contains the agent ${name}, which runs with all rights that you have. Choose another one, or: --sandbox off`,
    );
  }
}

function placeOf({ processes, hidden, sandbox }: Place): AcpPlace {
  return { processes, hidden, sandbox };
}

function registration(name: string, ownFile: string): string {
  const agent = isAcpCommand(name) ? { command: acpCommandIn(name, "/") } : { module: name };
  const entry = JSON.stringify({ agents: { "my-agent": agent } });
  return `in ${ownFile}: ${entry}`;
}
