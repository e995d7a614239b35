import {
  decide,
  evolve,
  type LoopCommand,
  LoopError,
  type LoopState,
  type Settings,
  selectNextAction,
  testAnswer,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";

type Deps = Pick<
  OrchestratorDeps,
  "agent" | "agentProblem" | "agentsElsewhere" | "clock" | "cwd" | "store" | "verifier"
>;

/** Refuses settings that name an agent that there is none of. */
function requireAgent(
  { agentProblem }: Pick<OrchestratorDeps, "agentProblem">,
  { agent, fallback, review }: Settings = {},
): void {
  for (const [key, name] of Object.entries({ agent, fallback, review })) {
    const problem = name === undefined ? undefined : agentProblem(name);
    if (problem === undefined) continue;
    throw new LoopError(
      "invalid_input",
      `settings.${key} cannot be ${JSON.stringify(name)}: ${problem}.`,
      { details: { fields: [`settings.${key}`] } },
    );
  }
}

/** A check takes a second and starts a process, so the next loops with the same agent rely on one that went well. */
const CHECK_VALID_MS = 60_000;

/** Looks whether agents can work before a loop is made or driven, as `doctor` does. */
export class Preflight {
  readonly #deps: Deps;
  /** When the check of these settings last went well, in epoch ms. */
  readonly #passed = new Map<string, number>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Throws what keeps the agent of these settings from working here, where loops are driven here. */
  async require(settings: Settings = {}): Promise<void> {
    requireAgent(this.#deps, settings);
    if (!this.#deps.agentsElsewhere) await this.#check(settings);
  }

  /** The same for a loop that is to be driven; its agent is checked where the next action is the agent's. */
  async requireFor(state: LoopState): Promise<void> {
    const { waiting: _, ...rest } = state;
    const { action } = selectNextAction({ ...rest, status: "running" });
    if (action === "INIT" || action === "DEVELOP" || action === "DEBUG") {
      await this.#check(state.settings);
    } else await this.#deps.agent(state.settings ?? {});
  }

  /**
   * The same before a command: for the agent that it chooses, and for a loop that it would make run. What is refused leaves the
   * loop as it was; one that somebody drives yet is theirs to check.
   */
  async requireForCommand(state: LoopState, command: LoopCommand): Promise<void> {
    if (command.type === "edit" || command.type === "resume") {
      const { agent, model } = command.changes?.settings ?? {};
      if (agent !== undefined) await this.require({ agent, ...(model && { model }) });
    }
    const { agentsElsewhere, clock, store } = this.#deps;
    const begins = command.type === "start" || command.type === "resume";
    if (!begins || state.status === "running" || agentsElsewhere) return;
    if ((await store.leaseOf(state.loop_id))?.living) return;
    const events = decide(state, command, clock.now().toISOString());
    await this.requireFor(events.reduce(evolve, state));
  }

  async #check(settings: Settings = {}): Promise<void> {
    const key = JSON.stringify([settings.agent, settings.model]);
    const now = this.#deps.clock.now().getTime();
    if (now - (this.#passed.get(key) ?? Number.NEGATIVE_INFINITY) < CHECK_VALID_MS) return;
    const agent = await this.#deps.agent(settings);
    const { ok, problems } = await agent.check(this.#deps.cwd);
    const [first] = problems;
    if (!ok && first) {
      const message = problems.map((problem) => problem.message).join(" ");
      throw new LoopError(first.code, message, { cause: first, details: { ...first.details } });
    }
    this.#passed.set(key, now);
  }
}

/** The first word of a command, behind settings of variables; nothing where a shell makes it up. */
const PROGRAM = /^(?:[A-Za-z_]\w*=\S*\s+)*([^\s()$`;&|<>"'\\]+)/;
const LOOK_MS = 10_000;

/** Throws `invalid_input` for a test command that is answered and whose program is not here. Another machine's files are not looked at. */
export async function requireTestProgram(
  { agentsElsewhere, cwd, verifier }: Deps,
  state: LoopState,
  command: LoopCommand,
): Promise<void> {
  if (command.type !== "answer" || state.waiting?.about !== "tests") return;
  const answer = testAnswer(command.text, command.option);
  if (!("verify" in answer) || agentsElsewhere || state.settings?.repository) return;
  const [, program] = PROGRAM.exec(answer.verify) ?? [];
  if (program === undefined) return;
  const { exit_code } = await verifier.probe(`command -v ${program}`, {
    cwd: state.workspace?.path ?? cwd,
    signal: new AbortController().signal,
    timeoutMs: LOOK_MS,
  });
  if (exit_code === 0) return;
  const message = `There is no program ${program} here, so ${JSON.stringify(answer.verify)} cannot run the tests. Answer with a command that does. Where there is nothing to test, continue without tests: ccw-loop answer ${state.loop_id} --waive-tests -`;
  throw new LoopError("invalid_input", message);
}
