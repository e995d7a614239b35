import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scriptedAgent } from "../../src/index.ts";
import { ask, conversation, emptyFolder } from "./conversations.ts";

describe("a script that cannot be used", () => {
  it.each([
    ["turns: [}", /line 1, column 9/],
    ["[]", /the script: /],
    ["turns: []", /turns: /],
    ["turns: [{answer: a}, {anwser: b}]", /turn 2: .*anwser/],
    ["turns: [{steps: [{run: ls}]}]", /turn 1: a turn ends with one of/],
    ["turns: [{answer: a, rubbish: 3}]", /turn 1: a turn ends with one of/],
    ["turns: [{answer: {status: done}, action: INIT}]", /turn 1, answer.status: /],
    ["turns: [{answer: {message: hi}}]", /turn 1, answer.action: name the action/],
    ["turns: [{answer: a, expect: '/(/'}]", /turn 1, expect: not a regular expression/],
    ["turns: [{answer: a, steps: [{run: ls, wait: 3}]}]", /turn 1, step 1: a step is exactly one/],
    ["turns: [{answer: a, steps: [{wait: 1}, {wait: -1}]}]", /turn 1, step 2, wait: /],
    ["turns: [{answer: a, steps: [{say: {text: a, over: 3}}]}]", /turn 1, step 1, say: .*over/],
    ["turns: [{answer: a, steps: [{replace: {path: a, old: b}}]}]", /step 1, replace.new: /],
    ["turns: [{steps: [{fail: usage}]}]", /turn 1, step 1, fail: /],
    ["turns: [{steps: [{fail: {code: usage}}]}]", /turn 1, step 1, fail.code: /],
    ["turns: [{answer: a, repeat: true}, {answer: b}]", /turn 1, repeat: .*must be the last/],
  ])("%s is refused with its place", async (text, problem) => {
    const cwd = await emptyFolder();
    const file = join(cwd, "script.yaml");
    await writeFile(file, text);
    const agent = scriptedAgent({ file });
    const check = await agent.check(cwd);
    expect(check.ok).toBe(false);
    expect(check.problems.join()).toContain(file);
    expect(check.problems.join()).toMatch(problem);
    await expect(agent.open({ cwd, instructions: "" })).rejects.toMatchObject({
      code: "agent_misconfigured",
    });
  });

  it("is refused at once when it is given as a value", () => {
    expect(() => scriptedAgent({ script: { turns: [] } })).toThrow(/cannot be used: turns/);
  });

  it("is refused when its file is missing", async () => {
    const cwd = await emptyFolder();
    const agent = scriptedAgent({ file: join(cwd, "nothing.yaml") });
    const { ok, problems } = await agent.check(cwd);
    expect(ok).toBe(false);
    expect(problems.join()).toContain("nothing.yaml");
  });
});

it("needs a project folder", async () => {
  const cwd = join(await emptyFolder(), "nothing");
  const agent = scriptedAgent({ script: { turns: [{ answer: "a" }] } });
  expect(await agent.check(cwd)).toMatchObject({ ok: false });
  await expect(agent.open({ cwd, instructions: "" })).rejects.toMatchObject({
    code: "agent_unavailable",
  });
});

it("reads JSON as well", async () => {
  const cwd = await emptyFolder();
  const file = join(cwd, "script.json");
  await writeFile(file, JSON.stringify({ turns: [{ answer: "from JSON" }] }, null, 2));
  const session = await scriptedAgent({ file }).open({ cwd, instructions: "" });
  expect((await ask(session)).text).toBe("from JSON");
  await session.close();
});

it("takes one pattern or a list", async () => {
  const { session } = await conversation([{ expect: ["a", "/B/i"], answer: "ok" }]);
  await expect(ask(session, "only a")).rejects.toMatchObject({ code: "agent_failed" });
  expect((await ask(session, "a b")).text).toBe("ok");
});
