/** @module-tag slow */
/** Two small projects through the whole survey; `npm run try:projects` plays all of them. */
import { expect, test } from "vitest";
import { groups } from "../projects/list/groups.ts";
import { problemsOf, type Seen } from "../projects/src/judge.ts";
import type { Edit, Project } from "../projects/src/project.ts";
import { isRight, lastLine, survey } from "../projects/src/survey.ts";
import { tables } from "../projects/src/table.ts";

const all = groups.flatMap(({ projects }) => projects);

const edit: Edit = { file: "sum.js", right: "a + b", bug: "a - b", wrong: "a * b" };
const project = (name: string, more: Partial<Project> = {}): Project => ({
  ...{ name, tools: "JavaScript, node --test", edit },
  from: {
    files: {
      "package.json": '{ "type": "module", "scripts": { "test": "node --test" } }',
      "sum.js": "export const sum = (a, b) => a + b;\n",
      "sum.test.js": `import assert from "node:assert";
import test from "node:test";
import { sum } from "./sum.js";
test("a sum", () => assert.equal(sum(1, 2), 3));
`,
    },
  },
  ...more,
});

test("a project is proven after a wrong repair, and one that is not as expected is named with why", {
  timeout: 300_000,
}, async () => {
  const projects = [
    project("proven"),
    project("not as expected", { readers: ["tap"] }),
    project("without its tool", { needs: "exit 1" }),
  ];
  const rows = await survey(projects, { lanes: 2, quick: false, onRow: () => undefined });
  expect(rows.map(({ problems }) => problems)).toEqual([
    [],
    ["Read as event-lines instead of tap."],
    [],
  ]);
  expect(rows[0]?.played?.loop?.verdicts).toEqual(["red", "proven"]);
  expect(rows[2]).toMatchObject({ played: null, missing: "`exit 1` fails here" });
  expect(lastLine(rows)).toBe("as expected: 1 of 2, 1 not played here");
  expect(isRight(rows)).toBe(false);
  expect(isRight(rows.filter(({ problems }) => problems.length === 0))).toBe(true);
  const text = tables([{ title: "Two", projects }], rows);
  expect(text).toContain("| red, proven | ");
  expect(tables([{ title: "Two", projects }], [], text)).toBe(text);
});

test.each(all.map((one) => [one.name, one] as const))("%s can be played", (_name, one) => {
  expect(all.filter(({ name }) => name === one.name)).toHaveLength(1);
  const { right, bug, wrong } = one.edit;
  const texts = [right, bug, wrong];
  expect(texts.flatMap((text) => texts.filter((other) => other.includes(text)))).toEqual(texts);
  if ("files" in one.from && one.from.files[one.edit.file] !== undefined)
    expect(one.from.files[one.edit.file]?.split(right)).toHaveLength(2);
  if ("npm" in one.from) expect(one.from.npm).toMatch(/^(@[\w-]+\/)?[\w.-]+@\d+\.\d+\.\d+$/);
});

test("a wrong repair that is called proven, and a loop that should have been refused, are problems", () => {
  const seen: Seen = {
    loop: {
      ...{ status: "completed", why: "", turns: 2, before: { passed: 1, failed: 1, skipped: 0 } },
      ...{ commands: [{ command: "npm test", report: null }], verdicts: ["proven"], runs: 3 },
      owed: { tests: 1, commands: 0 },
    },
    ...{ exit: 0, said: "", verify: { exit: 1, said: "It falls." } },
    plain: { exit: 0, seconds: 1 },
  };
  expect(problemsOf(project("any", { readers: ["exit-code"] }), seen)).toEqual([
    'The first verdict, on the wrong repair, is "proven".',
    "Its receipt does not stand (exit code 1): It falls.",
  ]);
  expect(problemsOf(project("any", { expected: "refused before a turn" }), seen)).toEqual([
    "The command exits with 0 instead of 5: no reason given",
    "The agent was asked 2 times.",
  ]);
});
