/**
 * The agent of a script, behind the Agent Client Protocol: `node acp-agent.ts SCRIPT`. What the script says it does by
 * itself, as an agent that asks for nothing; so what holds it is the sandbox around it, and what is believed of it is its
 * answers.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type AgentSession, LoopError, type TurnEvent } from "@ccw-loop/core";
import { scriptedAgent } from "@ccw-loop/testkit";
import { z } from "zod";

const [file = ""] = process.argv.slice(2);
const agent = scriptedAgent({ file, home: mkdtempSync(join(tmpdir(), "scripted-")) });

const Params = z.looseObject({
  cwd: z.string().default(""),
  prompt: z.array(z.looseObject({ text: z.string().default("") })).default([]),
});
const Request = z.object({
  id: z.int().optional(),
  method: z.string().optional(),
  params: Params.default({ cwd: "", prompt: [] }),
});

let session: AgentSession | undefined;
let turn = new AbortController();

const send = (message: object) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

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

async function answer(method: string, { cwd, prompt }: z.infer<typeof Params>): Promise<object> {
  switch (method) {
    case "initialize":
      return { protocolVersion: 1, agentCapabilities: {} };
    case "session/new":
      session = await agent.open({ cwd, instructions: "" });
      return { sessionId: session.id };
    case "session/prompt": {
      turn = new AbortController();
      const words = prompt.map(({ text }) => text);
      const told = { signal: turn.signal, onEvent: tell };
      try {
        await session?.run(words.join("\n"), told);
      } catch (error) {
        if (!turn.signal.aborted) throw error;
        return { stopReason: "cancelled" };
      }
      return { stopReason: "end_turn" };
    }
    default:
      throw new LoopError("invalid_input", `There is no ${method} here.`);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = Request.parse(JSON.parse(line));
  if (method === "session/cancel") turn.abort(new Error("It was cancelled."));
  if (id === undefined || method === undefined) continue;
  answer(method, params).then(
    (result) => send({ id, result }),
    (error: Error) => send({ id, error: { code: -32603, message: error.message } }),
  );
}
await session?.close();
