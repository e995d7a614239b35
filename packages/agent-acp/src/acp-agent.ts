import { type Agent, type AgentCheck, type OpenOptions, toLoopError } from "@ccw-loop/core";
import { type Processes, processes } from "@ccw-loop/processes";
import { DEFAULT_PROTECT } from "@ccw-loop/processes/agent-policy";
import { RpcProgram } from "@ccw-loop/processes/json-rpc";
import { openingErrorOf } from "./failure/failure.ts";
import type { Launch } from "./launch/launch.ts";
import { oldNode } from "./launch/old-node.ts";
import {
  DEFAULT_SANDBOX,
  makeProtected,
  type SandboxedLaunch,
  type SandboxSpec,
  sandboxedLaunch,
} from "./launch/sandbox.ts";
import { sandboxNote } from "./launch/try-sandbox.ts";
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
        const spec = await specOf(options, wanted);
        const { warning } = spec;
        if (warning !== null) wanted.onEvent?.({ type: "warning.raised", message: warning });
        return await AcpSession.open(spec, wanted);
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      }
    },
  };
}

async function specOf(
  options: PlacedOptions,
  { cwd, instructions, forkOf, model, scope, readOnly = false }: OpenOptions,
): Promise<ConversationSpec> {
  const { profile, limits, processes } = options;
  const sandbox = { ...sandboxOf(options), readOnly };
  makeProtected(cwd, sandbox);
  return {
    ...(await sandboxedLaunch(sandbox, cwd)),
    // What it may only read is protected as a whole.
    protect: readOnly ? [".", ...sandbox.protect] : sandbox.protect,
    ...{ profile, instructions, forkOf, model },
    tree: processes.processTree(scope),
    newTree: () => processes.processTree(scope),
    limits: { ...DEFAULT_ACP_LIMITS, ...limits },
  };
}

function sandboxOf({
  profile,
  sandbox = DEFAULT_SANDBOX,
  protect = DEFAULT_PROTECT,
  hidden = [],
  env = process.env,
}: AcpOptions): SandboxSpec {
  return { profile, sandbox, protect, hidden, env };
}

/** Whether the agent can work in `cwd`: the program is there, starts, and speaks our protocol. */
async function checkAgent(options: PlacedOptions, cwd: string): Promise<AgentCheck> {
  try {
    const launch = await sandboxedLaunch(sandboxOf(options), cwd);
    try {
      return await checkLaunch(options, launch);
    } finally {
      await launch.release();
    }
  } catch (error) {
    return { ok: false, version: null, problems: [toLoopError(error)], notes: [] };
  }
}

async function checkLaunch(options: PlacedOptions, launch: SandboxedLaunch): Promise<AgentCheck> {
  const { profile } = options;
  const { contained, program, env } = launch;
  const old = await oldNode(profile, program, env.PATH ?? "");
  const warnings = old === null ? [] : [old];
  const greeted = await tryOut(options, launch);
  if (!greeted.ok) {
    const problems = [openingErrorOf(greeted.failure, { profile, contained })];
    return { ok: false, version: null, problems, notes: warnings };
  }
  const { version } = greeted.result;
  const notes = [...warnings, ...notesOn(options, launch, greeted.result)];
  notes.push(await sandboxNote(options, launch));
  return { ok: true, version, problems: [], notes, login_tried: false };
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
  { program }: SandboxedLaunch,
  { steers, resumes, loads }: Capabilities,
): string[] {
  const { title, usage } = profile;
  const lacks = [
    ...(steers || profile.fetchesMessages ? [] : ["be steered during a turn"]),
    ...(resumes || loads ? [] : ["continue a session after it ended"]),
    ...(usage === "none" || usage === "last" ? ["tell what a turn used"] : []),
  ];
  return [
    `${title} was found at ${program}.`,
    ...(lacks.length > 0 ? [`${title} cannot ${lacks.join(", nor ")}.`] : []),
  ];
}
