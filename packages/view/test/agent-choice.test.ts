import { describe, expect, test } from "vitest";
import { agentForms, agentNameProblem, chosenAgent, SettingValues } from "../src/index.ts";

const AGENTS = [
  { name: "codex", describe: "OpenAI Codex" },
  { name: "scripted", argument: "FILE", describe: "replays a file" },
];

test.each([
  ["codex", "codex", ""],
  ["scripted:a.yaml", "scripted", "a.yaml"],
  ["scripted:C:\\a:b", "scripted", "C:\\a:b"],
])("%s is one of them", (name, agent, argument) => {
  expect(chosenAgent(name, AGENTS)).toMatchObject({ agent: { name: agent }, argument });
  expect(agentNameProblem(name, AGENTS)).toBeUndefined();
});

test.each(["", "Codex", "codex:", "codex:fast", "scripted", "scripted:", "/a.js", "toString"])(
  "%j is none of them",
  (name) => {
    expect(chosenAgent(name, AGENTS)).toBeUndefined();
    expect(agentNameProblem(name, AGENTS)).toBe(
      "no such agent is registered; use codex or scripted:FILE",
    );
  },
);

test("a list reads as a sentence", () => {
  const more = [...AGENTS, { name: "mine", describe: "" }];
  expect([AGENTS.slice(0, 1), AGENTS, more].map(agentForms)).toEqual([
    "codex",
    "codex or scripted:FILE",
    "codex, scripted:FILE or mine",
  ]);
});

describe("as a setting", () => {
  const problem = (agent: string) =>
    SettingValues.safeParse({ agent }).error?.issues[0]?.message ?? "fine";
  test.each([
    ["codex", "fine"],
    ["whatever", "fine"],
    ["/home/ada/a b.js", "fine"],
    ["", "name an agent"],
    ["a\nb", "use no control characters"],
    ["a\u009bb", "use no control characters"],
  ])("only the form of a name is checked: %j", (agent, expected) => {
    expect(problem(agent)).toBe(expected);
  });

  test.each([
    [4096, "fine"],
    [4097, "use 4096 characters or less"],
  ])("a name of %i characters", (length, expected) => {
    const agent = "a".repeat(length);
    expect(problem(agent)).toBe(expected);
  });
});
