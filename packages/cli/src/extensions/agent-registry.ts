import { join } from "node:path";
import { type Agent, type AgentPlace, LoopError, shellWord } from "@ccw-loop/core";
import type { Processes } from "@ccw-loop/processes";
import { type AgentChoice, agentForms, agentNameProblem, chosenAgent } from "@ccw-loop/view";
import { openModule } from "./load.ts";
import { isInProject, isModulePath } from "./module-file.ts";
import type { OperatorModule, OperatorModules } from "./operator-modules.ts";

type Place = Omit<AgentPlace<Processes>, "options">;

/** An agent by its name, and how it is opened; what opening needs is loaded then. */
interface RegisteredAgent extends AgentChoice {
  open(place: Place, argument: string): Promise<Agent>;
}

const BUILT_IN: readonly RegisteredAgent[] = [
  {
    name: "codex",
    describe: "OpenAI Codex",
    async open({ processes, hidden }) {
      const { codexAgent } = await import("@ccw-loop/agent-codex");
      return codexAgent({ processes, hide: hidden });
    },
  },
  {
    name: "scripted",
    argument: "FILE",
    describe: "replays a file",
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
  /** Modules of this command line, as absolute paths. */
  named: readonly string[];
  own: OperatorModules;
  /** The operator's own configuration file. */
  ownFile: string;
  warn: (message: string) => void;
}

/**
 * The agents that this process knows: those built in, those of the operator's own configuration, and the modules of this
 * command line. A path that stands anywhere else, in a loop's state or in a request, is in none of these and is never loaded.
 */
export class AgentRegistry {
  readonly #sources: AgentSources;
  readonly #modules: readonly RegisteredAgent[];
  /** By their paths: loops that were made with a path have that as the name. */
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
    this.#modules = [...own.agents].map(([name, module]) => this.#entry(name, module));
    const typed = named.map((file) => this.#entry(file, { file, options: undefined }));
    // What describes a module is its file.
    this.#paths = new Map([...typed, ...this.#modules].map((agent) => [agent.describe, agent]));
  }

  /** Those with names, and the modules of this command line. */
  get choices(): readonly AgentChoice[] {
    const typed = this.#sources.named.flatMap((file) => this.#paths.get(file) ?? []);
    return [...this.#known, ...typed.filter(({ name }) => isModulePath(name))];
  }

  get #known(): readonly RegisteredAgent[] {
    return [...BUILT_IN, ...this.#modules];
  }

  /** What to say of a name that is not registered, as the end of a sentence. */
  problem(name: string): string | undefined {
    if (this.#find(name) !== undefined) return undefined;
    if (!isModulePath(name)) return agentNameProblem(name, this.#known);
    return "a module is loaded only where its operator names it, with --agent or in their own configuration";
  }

  /** Throws `agent_unavailable` for a name that is not registered, `agent_misconfigured` for a module that is no agent. */
  async open(name: string, place: Place): Promise<Agent> {
    const found = this.#find(name);
    if (found) return found.agent.open(place, found.argument);
    const { ownFile } = this.#sources;
    const details = { agent: name };
    if (!isModulePath(name)) {
      throw new LoopError(
        "agent_unavailable",
        `No agent ${JSON.stringify(name)} is registered here; there are ${agentForms(this.#known)}. Register it under agents in ${ownFile}, or choose another one: ccw-loop resume ID --agent NAME`,
        { details },
      );
    }
    throw new LoopError(
      "agent_unavailable",
      `The loop's agent is the module ${name}, and a module is loaded only where its operator names it. Name it again with: --agent ${shellWord(name)}`,
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
      open: async (place) => {
        if (isInProject(file, place.root) && !this.#warned.has(file)) {
          this.#warned.add(file);
          this.#sources.warn(
            `The agent module ${file} lies inside of the project: agents may write there, and what they write is run with your rights. Keep it elsewhere.`,
          );
        }
        return openModule("agent", module, place);
      },
    };
  }
}

function registration(file: string, ownFile: string): string {
  const entry = JSON.stringify({ agents: { "my-agent": { module: file } } });
  return `in ${ownFile}: ${entry}`;
}
