import { setTimeout as delay } from "node:timers/promises";
import { type ThreadArguments, threadParameters } from "../launch/arguments.ts";
import type { AppServer, Reply } from "../process/app-server.ts";
import { EmptyResult, type SandboxPolicy, ThreadOpened } from "../protocol.ts";
import type { ConversationSpec } from "./conversation-spec.ts";

const ASK_AGAIN_MS = 100;

type ThreadSpec = ConversationSpec & Pick<ThreadArguments, "profile">;

export interface OpenThread {
  threadId: string;
  how: "started" | "resumed" | "forked";
  /** What Codex confines the commands of its turns by. */
  policy: SandboxPolicy;
  /** What could not be done as it was wanted. */
  warnings: string[];
}

/** The first words with a fresh process. The experimental part of the protocol is for cleaning up alone. */
export async function initializeServer(server: AppServer): Promise<Reply<unknown>> {
  const clientInfo = { name: "ccw-loop", title: "CCW Loop", version: "0.0.0" };
  const capabilities = { experimentalApi: true, requestAttestation: false };
  const reply = await server.request("initialize", { clientInfo, capabilities }, EmptyResult);
  if (reply.ok) server.notify("initialized");
  return reply;
}

/** Opens the conversation `sessionId`; when it is null or gone, a copy of `forkOf`, or else a new one. */
export async function openThread(
  server: AppServer,
  spec: ThreadSpec,
  sessionId: string | null,
): Promise<Reply<OpenThread>> {
  if (sessionId !== null) {
    const resumed = await resume(server, spec, sessionId);
    if (resumed.ok || resumed.failure.kind !== "no_session") return resumed;
  }
  const warnings: string[] = [];
  if (spec.forkOf) {
    const forked = await fork(server, spec, spec.forkOf);
    if (forked.ok || forked.failure.kind === "crash") return forked;
    warnings.push(
      `The conversation ${spec.forkOf.session_id} cannot be copied, so a new one begins without its history. ${forked.failure.message}.`,
    );
  }
  const reply = await server.request("thread/start", newThread(spec), ThreadOpened);
  return opened(reply, spec, "started", warnings);
}

/** The copy is on disk at once, whoever has the original open, which stays as it is. */
async function fork(
  server: AppServer,
  spec: ThreadSpec,
  { session_id, turn_id }: NonNullable<ThreadSpec["forkOf"]>,
): Promise<Reply<OpenThread>> {
  const upTo = turn_id === null ? {} : { lastTurnId: turn_id };
  const parameters = { threadId: session_id, ...upTo, excludeTurns: true, ...newThread(spec) };
  return opened(await server.request("thread/fork", parameters, ThreadOpened), spec, "forked");
}

function newThread(spec: ThreadSpec) {
  const { instructions } = spec;
  const told = instructions === "" ? {} : { developerInstructions: instructions };
  return { ...threadParameters(spec), ...told };
}

async function resume(
  server: AppServer,
  spec: ThreadSpec,
  threadId: string,
): Promise<Reply<OpenThread>> {
  const parameters = threadParameters(spec);
  const ask = () =>
    server.request("thread/resume", { threadId, excludeTurns: true, ...parameters }, ThreadOpened);
  let reply = await ask();
  if (!reply.ok && reply.failure.kind === "archived") {
    await server.request("thread/unarchive", { threadId }, EmptyResult);
    reply = await ask();
  }
  const end = performance.now() + spec.limits.busyMs;
  while (!reply.ok && reply.failure.kind === "busy" && performance.now() < end) {
    await spec.processes.sweep();
    await delay(ASK_AGAIN_MS);
    reply = await ask();
  }
  return opened(reply, spec, "resumed");
}

/** Codex takes another profile without a word when it may not use the one that was asked for. */
function opened(
  reply: Reply<ThreadOpened>,
  { profile }: ThreadSpec,
  how: OpenThread["how"],
  warnings: string[] = [],
): Reply<OpenThread> {
  if (!reply.ok) return reply;
  const { thread, sandbox, activePermissionProfile: active } = reply.result;
  if (profile !== null && active?.id !== profile) {
    const message = `Codex confines the conversation by ${active?.id ?? "a profile that it does not tell"} instead of ${profile}`;
    return { ok: false, failure: { kind: "sandbox", message } };
  }
  return { ok: true, result: { threadId: thread.id, how, policy: sandbox, warnings } };
}
