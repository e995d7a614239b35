/**
 * The agent of a script, behind the Agent Client Protocol: `node acp-agent.ts SCRIPT`. What the script says it does by
 * itself, as an agent that asks for nothing; so what holds it is the sandbox around it, and what is believed of it is its
 * answers.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentSession, TurnEvent } from "@ccw-loop/core";
import { scriptedAgent } from "@ccw-loop/testkit";
import { z } from "zod";
import { send, serve } from "../../packages/agent-acp/test/fixtures/wire.ts";

const [file = ""] = process.argv.slice(2);
const agent = scriptedAgent({ file, home: mkdtempSync(join(tmpdir(), "scripted-")) });

const Params = z.looseObject({
  cwd: z.string().default(""),
  prompt: z.array(z.looseObject({ text: z.string().default("") })).default([]),
});

let session: AgentSession | undefined;
let turn = new AbortController();

let commands = 0;

function tell(event: TurnEvent): void {
  const update = updateOf(event);
  if (update) send({ method: "session/update", params: { sessionId: session?.id, update } });
}

function updateOf(event: TurnEvent): object | null {
  switch (event.type) {
    case "message.delta":
      return {
        sessionUpdate: "agent_message_chunk",
        content: { type: "text", text: event.text },
      };
    case "command.started": {
      commands += 1;
      const { command } = event;
      const call = { toolCallId: `${commands}`, title: command, kind: "execute" };
      const began = { status: "in_progress", rawInput: { command } };
      return { sessionUpdate: "tool_call", ...call, ...began };
    }
    case "command.completed":
      return { sessionUpdate: "tool_call_update", toolCallId: `${commands}`, status: "completed" };
    default:
      return null;
  }
}

async function prompted(words: string): Promise<object> {
  turn = new AbortController();
  try {
    await session?.run(words, { signal: turn.signal, onEvent: tell });
  } catch (error) {
    if (!turn.signal.aborted) throw error;
    return { stopReason: "cancelled" };
  }
  return { stopReason: "end_turn" };
}

await serve((method, params) => {
  const { cwd, prompt } = Params.parse(params);
  switch (method) {
    case "initialize":
      return Promise.resolve({ protocolVersion: 1, agentCapabilities: {} });
    case "session/new":
      return agent.open({ cwd, instructions: "" }).then((opened) => {
        session = opened;
        return { sessionId: opened.id };
      });
    case "session/prompt":
      return prompted(prompt.map(({ text }) => text).join("\n"));
    case "session/cancel":
      turn.abort(new Error("It was cancelled."));
  }
  return undefined;
});
await session?.close();
