import { expect, test } from "vitest";
import { agentFor, evolve, ownTool } from "../src/index.ts";
import { AT, loop, task } from "./given.ts";

const HOUR_LATER = "2026-01-22T11:00:00.000Z";

const limited = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { limited_until: HOUR_LATER }]));

test.each([
  // [the loop's own agent, the tool of the task, who does it]
  [undefined, undefined, "codex"],
  [undefined, "codex", "codex"],
  [undefined, "gemini", "gemini"],
  [undefined, "bash", "codex"],
  [undefined, "aider", "codex"],
  ["gemini", "gemini", "gemini"],
  ["gemini", "codex", "codex"],
  // Every tool wrote `codex` where nobody chose: it does not take a task from an agent that is no tool's.
  ["./mine.js", "codex", "./mine.js"],
  ["./mine.js", "claude", "claude"],
  ["scripted:/elsewhere.json", "scripted:/mine.json", "scripted:/elsewhere.json"],
])("agent %s, tool %s: %s", (agent, tool, does) => {
  const state = loop({ settings: agent === undefined ? {} : { agent } });
  const given = tool === undefined ? undefined : { tool };
  expect(agentFor(state, given, AT)).toBe(does);
});

test.each([
  ["gemini", "gemini"],
  ["codex", "codex"],
  ["./mine.js", "codex"],
  [undefined, "codex"],
])("a task for which nobody names a tool in a loop of %s has %s", (agent, tool) => {
  expect(ownTool(loop({ settings: agent === undefined ? {} : { agent } }))).toBe(tool);
});

test.each([
  // [who is at the limit, the tool of the task, when, who does it]
  [[], "codex", AT, "codex"],
  [["codex"], "codex", AT, "gemini"],
  [["codex"], "claude", AT, "claude"],
  [["claude"], "claude", AT, "gemini"],
  [["codex"], "codex", HOUR_LATER, "codex"],
  [["codex", "gemini"], "codex", AT, "codex"],
])("with %j at their limits, %s at %s: %s", (names, tool, at, does) => {
  const state = loop({ settings: { fallback: "gemini" }, agents: limited(...names) });
  expect(agentFor(state, task("a", { tool: tool as "codex" }), at)).toBe(does);
});

test("nobody goes on for an agent at its limit where the operator named none", () => {
  expect(agentFor(loop({ agents: limited("codex") }), undefined, AT)).toBe("codex");
});

test("each agent has its own conversation and its own limit", () => {
  const attached = { type: "agent.attached", at: AT } as const;
  const events = [
    { ...attached, driver: "codex", session_id: "c-1" },
    { ...attached, driver: "acp", session_id: "g-1", agent: "gemini" },
    { type: "agent.limited", at: AT, agent: "gemini", until: HOUR_LATER },
    { ...attached, driver: "acp", session_id: "g-2", agent: "gemini" },
  ] as const;
  const after = events.reduce((state, event) => evolve(state, event), loop());
  expect(after.agent).toMatchObject({ driver: "codex", session_id: "c-1" });
  expect(after.agents).toEqual({
    gemini: { driver: "acp", session_id: "g-2", limited_until: HOUR_LATER },
  });
});
