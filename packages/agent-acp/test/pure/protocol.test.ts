import { expect, test } from "vitest";
import { type Frame, protocolProblems } from "../protocol.ts";

const frame = (from: Frame["from"], message: object): Frame => ({
  ...{ connection: "one", from },
  message: { jsonrpc: "2.0", ...message },
});
const update = (what: object) =>
  frame("agent", { method: "session/update", params: { sessionId: "s", update: what } });
const opening = { cwd: "/project", mcpServers: [] };

test("a conversation as the protocol has it has no problems", () => {
  const session = { compaction: {} };
  const params = { protocolVersion: 1, clientCapabilities: { session } };
  const frames = [
    frame("client", { id: 0, method: "initialize", params }),
    frame("agent", { id: 0, result: { protocolVersion: 1 } }),
    frame("client", { id: 1, method: "session/new", params: opening }),
    frame("agent", { id: 1, result: { sessionId: "s" } }),
    update({ sessionUpdate: "compaction_update", compactionId: "c", status: "completed" }),
    frame("agent", { id: 1, method: "_own/method" }),
    frame("client", { id: 1, error: { code: -32_601, message: "No such method" } }),
  ];
  expect(protocolProblems(frames)).toEqual([]);
});

test.each([
  [
    "a request without what it needs",
    [frame("client", { id: 1, method: "session/new", params: { cwd: "/project" } })],
    "The client's message is no NewSessionRequest (data must have required property 'mcpServers')",
  ],
  [
    "an answer of another kind",
    [
      frame("client", { id: 1, method: "session/new", params: opening }),
      frame("agent", { id: 1, result: { session: "s" } }),
    ],
    "The agent's message is no NewSessionResponse",
  ],
  [
    "an update that tells a part of it",
    [update({ sessionUpdate: "plan", entries: [{ content: "One step.", status: "pending" }] })],
    "'priority'",
  ],
  [
    "an update that its client does not know",
    [update({ sessionUpdate: "notice", severity: "warning", title: "Low." })],
    "does not offer session.notices",
  ],
  [
    "a method that is the other side's",
    [frame("agent", { id: 1, method: "session/new", params: opening })],
    "is of no method that the protocol has",
  ],
  ["an error without a code", [frame("agent", { id: 1, error: { message: "No." } })], "'code'"],
  [
    "a line of another protocol",
    [{ connection: "one", from: "client", message: { id: 1, method: "initialize" } }],
    "is no JSON-RPC 2.0",
  ],
] as const)("%s is a problem", (_, frames, words) => {
  expect(protocolProblems(frames)).toEqual([expect.stringContaining(words)]);
});
