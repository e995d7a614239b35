import { type Agent, type AgentCheck, type OpenOptions, toLoopError } from "@ccw-loop/core";
import { type Processes, processes } from "@ccw-loop/processes";
import { DEFAULT_PROTECT } from "@ccw-loop/processes/agent-policy";
import { RpcProgram } from "@ccw-loop/processes/json-rpc";
import { openingErrorOf } from "./failure/failure.ts";
import { type Launch, launchOf } from "./launch/launch.ts";
import { type AcpOptions, DEFAULT_ACP_LIMITS } from "./options.ts";
import { AcpSession } from "./session/acp-session.ts";
import type { Outcome } from "./session/ask.ts";
import { type Capabilities, initialize } from "./session/connect.ts";
import type { ConversationSpec } from "./session/conversation-spec.ts";

type PlacedOptions = AcpOptions & { processes: Processes };

/**
 * An agent that speaks version 1 of the Agent Client Protocol over stdin and stdout: one process and one session per
 * conversation. What the protocol leaves open is done here: every question is answered by rule, what a turn started
 * ends with it, silence has limits, and a session goes on after a crash.
 */
export function acpAgent({ processes: registry = processes(), ...given }: AcpOptions): Agent {
  const options = { ...given, processes: registry };
  return {
    driver: options.profile.name,

    check: (cwd) => checkAgent(options, cwd),

    async open(wanted) {
      const { signal } = wanted;
      signal?.throwIfAborted();
      try {
        await registry.sweep();
        return await AcpSession.open(await specOf(options, wanted), wanted);
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      }
    },
  };
}

async function specOf(
  { profile, env = process.env, protect = DEFAULT_PROTECT, limits, processes }: PlacedOptions,
  { cwd, instructions, forkOf, model, scope }: OpenOptions,
): Promise<ConversationSpec> {
  return {
    ...(await launchOf(profile, cwd, env)),
    ...{ profile, protect, instructions, forkOf, model },
    tree: processes.processTree(scope),
    limits: { ...DEFAULT_ACP_LIMITS, ...limits },
  };
}

/** Whether the agent can work in `cwd`: the program is there, starts, and speaks our protocol. */
async function checkAgent(options: PlacedOptions, cwd: string): Promise<AgentCheck> {
  try {
    const { profile, env = process.env } = options;
    const launch = await launchOf(profile, cwd, env);
    const greeted = await tryOut(options, launch);
    if (!greeted.ok) throw openingErrorOf(greeted.failure, profile);
    const { version } = greeted.result;
    return { ok: true, version, problems: [], notes: notesOn(options, launch, greeted.result) };
  } catch (error) {
    return { ok: false, version: null, problems: [toLoopError(error)], notes: [] };
  }
}

/** Starts the agent, asks what it can, and ends it again. */
async function tryOut(
  { profile, limits, processes }: PlacedOptions,
  launch: Launch,
): Promise<Outcome<Capabilities>> {
  const known = { ...DEFAULT_ACP_LIMITS, ...limits };
  const program = new RpcProgram({
    ...{ ...launch, name: profile.title, tree: processes.processTree() },
    header: { jsonrpc: "2.0" },
    onNotification: () => undefined,
    onNoise: () => undefined,
    answer: async () => ({
      error: { code: -32_601, message: "Requests are not answered during a check." },
    }),
  });
  const greeted = await initialize(program, known);
  await program.close(known.closeMs);
  return greeted;
}

function notesOn(
  { profile }: AcpOptions,
  { file }: Launch,
  { steers, resumes, loads }: Capabilities,
): string[] {
  const { title, mode, usage } = profile;
  const lacks = [
    ...(steers || profile.fetchesMessages ? [] : ["be steered during a turn"]),
    ...(resumes || loads ? [] : ["continue a session after it ended"]),
    ...(usage === "none" || usage === "last" ? ["tell what a turn used"] : []),
  ];
  const named = mode === null ? "" : ` in its mode ${mode.split("#").at(-1)}`;
  const confined = profile.ownSandbox
    ? `Its own sandbox${named} keeps its commands in the project; it does not ask about them.`
    : `Nothing but its own questions${named} keeps its commands in the project: what it does not ask is not confined.`;
  return [
    `${title} was found at ${file}.`,
    confined,
    "Its commands can read what you can read, the keys in the configuration of CCW Loop included.",
    ...(lacks.length > 0 ? [`${title} cannot ${lacks.join(", nor ")}.`] : []),
  ];
}
