import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentSession, OpenOptions, TurnEvent } from "@ccw-loop/core";
import { onTestFinished } from "vitest";
import {
  type AgentScriptInput,
  type ScriptedAgentOptions,
  scriptedAgent,
} from "../../src/index.ts";

export type TurnInput = AgentScriptInput["turns"][number];

/** An empty folder that is removed after the test. */
export async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "scripted-agent-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A conversation that follows these turns; closed after the test. */
export async function conversation(
  turns: TurnInput[],
  {
    cwd,
    sessionId,
    forkOf,
    ...options
  }: ScriptedAgentOptions & Partial<Pick<OpenOptions, "cwd" | "sessionId" | "forkOf">> = {},
) {
  const folder = cwd ?? (await emptyFolder());
  const agent = scriptedAgent({ script: { turns }, ...options });
  const open = { cwd: folder, sessionId: sessionId ?? null, forkOf, instructions: "" };
  const session = await agent.open(open);
  onTestFinished(() => session.close());
  return { cwd: folder, session };
}

/** One turn to its end: what it answered and told. */
export async function ask(session: AgentSession, prompt = "Go on.") {
  const events: TurnEvent[] = [];
  const { text, usage, turn_id } = await session.run(prompt, {
    signal: new AbortController().signal,
    onEvent: (event) => events.push(event),
  });
  return { text, usage, turn_id, events };
}
