import type { RpcProgram } from "@ccw-loop/processes/json-rpc";
import { type Failure, PASSING } from "../failure/failure.ts";
import { at, numberAt, textAt } from "../json.ts";
import type { AcpLimits } from "../options.ts";
import { ask, type Outcome } from "./ask.ts";
import { takeModel } from "./choices.ts";
import type { ConversationSpec } from "./conversation-spec.ts";
import { type KeptMode, takeMode } from "./mode.ts";

/** What an agent said of itself. */
export interface Capabilities {
  version: string | null;
  resumes: boolean;
  loads: boolean;
  forks: boolean;
  closes: boolean;
  takesInstructions: boolean;
  steers: boolean;
}

/** An open session. */
export interface OpenSession {
  id: string;
  how: "started" | "resumed" | "forked";
  capabilities: Capabilities;
  /** The mode that it shall stay in; null where it has none. */
  mode: KeptMode | null;
  /** What could not be done as it was wanted. */
  warnings: string[];
}

const PROTOCOL = 1;

/** The first words with a fresh process. Files and terminals are the agent's own affair: we offer none. */
export async function initialize(
  program: RpcProgram,
  { initializeMs }: AcpLimits,
): Promise<Outcome<Capabilities>> {
  const reply = await ask(
    program,
    "initialize",
    {
      protocolVersion: PROTOCOL,
      clientInfo: { name: "ccw-loop", title: "CCW Loop", version: "0.0.0" },
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        // An agent tells only a client that says so that it made the conversation shorter.
        session: { compaction: {}, notices: {} },
        _meta: {
          // Failures with a group instead of prose, where an agent knows that …
          jetbrains: { air: { version: 1, capabilities: ["sessionFailure"] } },
          // … and what a command prints, which who asks for the former is not told otherwise.
          terminal_output_delta: true,
        },
      },
    },
    initializeMs,
  );
  if (!reply.ok) return reply;
  const { result } = reply;
  const protocol = numberAt(result, "protocolVersion");
  if (protocol !== PROTOCOL) {
    const message = `It speaks version ${protocol ?? "?"} of the Agent Client Protocol, and CCW Loop version ${PROTOCOL}`;
    return { ok: false, failure: { kind: "other", message } };
  }
  const offered = at(result, "agentCapabilities");
  const has = (name: string) => Boolean(at(offered, "sessionCapabilities", name));
  return {
    ok: true,
    result: {
      version: textAt(result, "agentInfo", "version") ?? null,
      resumes: has("resume"),
      loads: at(offered, "loadSession") === true,
      forks: has("fork"),
      closes: has("close"),
      takesInstructions: has("systemPrompt"),
      steers: at(result, "_meta", "steering", "supported") === true,
    },
  };
}

/** A session's id names files of the agent, and comes from the loop's state. */
export function isSessionId(id: string): boolean {
  return /^[\w.:-]{1,256}$/.test(id) && !/^\.+$/.test(id);
}

/**
 * Opens the session `sessionId`; where it is null or gone a copy of `forkOf`, or else a new one. It asks before it writes
 * or runs, or it is not opened.
 */
export async function openSession(
  program: RpcProgram,
  spec: ConversationSpec,
  sessionId: string | null,
): Promise<Outcome<OpenSession>> {
  const greeted = await initialize(program, spec.limits);
  if (!greeted.ok) return greeted;
  const capabilities = greeted.result;
  const warnings: string[] = [];
  const opened = await firstOf(program, spec, capabilities, sessionId, warnings);
  if (!opened.ok) return opened;
  const { id, how, result } = opened.result;
  if (!isSessionId(id)) {
    const message = `It names its session ${JSON.stringify(id.slice(0, 80))}, which is no id`;
    return { ok: false, failure: { kind: "other", message } };
  }
  const mode = await takeMode(program, spec, id, result);
  if (!mode.ok) return mode;
  const model = await takeModel(program, spec, id, result);
  if (!model.ok) return model;
  if (model.result !== null) warnings.push(model.result);
  return { ok: true, result: { id, how, capabilities, mode: mode.result, warnings } };
}

interface Opened {
  id: string;
  how: OpenSession["how"];
  result: unknown;
}

async function firstOf(
  program: RpcProgram,
  spec: ConversationSpec,
  { resumes, loads, forks, takesInstructions }: Capabilities,
  sessionId: string | null,
  warnings: string[],
): Promise<Outcome<Opened>> {
  const { cwd, forkOf, instructions, limits } = spec;
  const place = { cwd, mcpServers: [] };
  const content = [{ type: "text", text: instructions }];
  const told =
    takesInstructions && instructions !== "" ? { systemPrompt: { mode: "append", content } } : {};
  const open = async (
    method: string,
    how: Opened["how"],
    id: string | null,
  ): Promise<Outcome<Opened>> => {
    const named = id === null ? {} : { sessionId: id };
    const reply = await ask(program, method, { ...named, ...place, ...told }, limits.openMs);
    if (!reply.ok) return reply;
    const answered = textAt(reply.result, "sessionId");
    const result = reply.result;
    return { ok: true, result: { id: (how === "resumed" ? id : answered) ?? "", how, result } };
  };
  const again = resumes ? "session/resume" : loads ? "session/load" : null;
  if (sessionId !== null && isSessionId(sessionId)) {
    if (again === null)
      warnings.push(`It cannot continue the session ${sessionId}, so a new one begins.`);
    else {
      const resumed = await open(again, "resumed", sessionId);
      // Every agent says in its own way that it knows no such session.
      if (resumed.ok || isFinal(resumed.failure)) return resumed;
      warnings.push(`A new session begins instead of ${sessionId}: ${resumed.failure.message}.`);
    }
  }
  if (forkOf) {
    const canCopy = forks && forkOf.turn_id === null && isSessionId(forkOf.session_id);
    const forked = canCopy ? await open("session/fork", "forked", forkOf.session_id) : null;
    if (forked && (forked.ok || isFinal(forked.failure))) return forked;
    const why =
      forks && forkOf.turn_id !== null
        ? "It copies whole sessions alone."
        : "It has no copy of it.";
    warnings.push(
      `The conversation ${forkOf.session_id} cannot be copied, so a new one begins without its history. ${why}`,
    );
  }
  return open("session/new", "started", null);
}

/** A new session would fail as well, or the old one can be had again when the cause is gone. */
function isFinal({ kind }: Failure): boolean {
  return kind === "crash" || kind === "auth" || PASSING.includes(kind);
}
