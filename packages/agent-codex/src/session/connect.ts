import { setTimeout as delay } from "node:timers/promises";
import { threadParameters } from "../launch/arguments.ts";
import type { CodexLimits, CodexSandbox } from "../options.ts";
import type { AppServer } from "../process/app-server.ts";
import { endOrphans } from "../process/marked.ts";
import type { Reply } from "../process/rpc-peer.ts";
import { Nothing, ThreadOpened } from "../protocol/results.ts";

const ASK_AGAIN_MS = 100;

/** What a conversation is begun with, and opened again with after a crash. */
export interface ThreadSpec {
  cwd: string;
  sandbox: CodexSandbox;
  model: string | undefined;
  instructions: string;
  limits: Pick<CodexLimits, "busyMs">;
}

export interface OpenThread {
  threadId: string;
  resumed: boolean;
}

/** The first words with a fresh process. The experimental part of the protocol is for cleaning up alone. */
export async function shakeHands(server: AppServer): Promise<Reply<unknown>> {
  const clientInfo = { name: "ccw-loop", title: "CCW Loop", version: "0.0.0" };
  const capabilities = { experimentalApi: true, requestAttestation: false };
  const reply = await server.request("initialize", { clientInfo, capabilities }, Nothing);
  if (reply.ok) server.notify("initialized");
  return reply;
}

/** Opens the conversation `sessionId`, or a new one when it is null or gone. */
export async function openThread(
  server: AppServer,
  spec: ThreadSpec,
  sessionId: string | null,
): Promise<Reply<OpenThread>> {
  if (sessionId !== null) {
    const resumed = await resume(server, spec, sessionId);
    if (resumed.ok || resumed.failure.kind !== "no_session") return resumed;
  }
  const parameters = threadParameters(spec.cwd, spec.sandbox, spec.model);
  const instructions = spec.instructions === "" ? {} : { developerInstructions: spec.instructions };
  const reply = await server.request(
    "thread/start",
    { ...parameters, ...instructions },
    ThreadOpened,
  );
  return reply.ok ? opened(reply.result.thread.id, false) : reply;
}

async function resume(
  server: AppServer,
  spec: ThreadSpec,
  threadId: string,
): Promise<Reply<OpenThread>> {
  const parameters = threadParameters(spec.cwd, spec.sandbox, spec.model);
  const ask = () =>
    server.request("thread/resume", { threadId, excludeTurns: true, ...parameters }, ThreadOpened);
  let reply = await ask();
  if (!reply.ok && reply.failure.kind === "archived") {
    await server.request("thread/unarchive", { threadId }, Nothing);
    reply = await ask();
  }
  const end = performance.now() + spec.limits.busyMs;
  while (!reply.ok && reply.failure.kind === "busy" && performance.now() < end) {
    await endOrphans();
    await delay(ASK_AGAIN_MS);
    reply = await ask();
  }
  return reply.ok ? opened(reply.result.thread.id, true) : reply;
}

function opened(threadId: string, resumed: boolean): Reply<OpenThread> {
  return { ok: true, result: { threadId, resumed } };
}
