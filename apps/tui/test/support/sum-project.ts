import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentScriptInput, tempRepo } from "@ccw-loop/testkit";
import { BIN } from "../../../web/test/support/serve.ts";

export type Turn = AgentScriptInput["turns"][number];

/** A repository with a sum and a half that are wrong. */
export interface SumProject extends AsyncDisposable {
  cwd: string;
  /** For a process in it; no configuration of the machine reaches that. */
  env: Record<string, string>;
}

/** The shell command `ccw-loop ARGS`. */
export function commandLine(...args: string[]): string {
  return [process.execPath, BIN, ...args]
    .map((word) => `'${word.replaceAll("'", "'\\''")}'`)
    .join(" ");
}

export const TASK = "Repair sum: the test adds two numbers has to pass";
const WRONG = "export const sum = (a, b) => a - b;\nexport const half = (a) => a;\n";
export const RIGHT = WRONG.replace("a - b", "a + b").replace("=> a;", "=> a / 2;");

const TESTS = `import assert from "node:assert/strict";
import { test } from "node:test";
import { half, sum } from "../src/sum.js";

test("adds two numbers", () => {
  assert.equal(sum(1, 2), 3);
});

test("halves a number", () => {
  assert.equal(half(4), 2);
});
`;
const renamed = (text: string) => text.replaceAll(/\bsum\b(?!\.js)/g, "add");

/** The agent plays `turns`, as \`scripted:agent.json\`. */
export async function sumProject(...turns: Turn[]): Promise<SumProject> {
  const repo = await tempRepo({
    "package.json": JSON.stringify({ type: "module", scripts: { test: "node --test" } }),
    "src/sum.js": WRONG,
    "test/sum.test.js": TESTS,
    ".gitignore": "agent.json\n",
  });
  await writeFile(join(repo.path, "agent.json"), JSON.stringify({ turns }));
  // npm writes into its home, and what tests write into the project makes their proof worthless.
  const home = await mkdtemp(join(tmpdir(), "ccw-tui-home-"));
  return {
    cwd: repo.path,
    env: { HOME: home },
    async [Symbol.asyncDispose]() {
      for (const folder of [repo.path, `${repo.path}.worktrees`, home]) {
        await rm(folder, { recursive: true, force: true, maxRetries: 10 });
      }
    },
  };
}

export const plans: Turn = {
  action: "INIT",
  when: "# ACTION: INIT",
  repeat: true,
  answer: { message: "One task.", state_updates: { tasks: [{ description: "repair the sum" }] } },
};

/** Begins DEVELOP and then does nothing until it is stopped. */
export const hangs: Turn = {
  action: "DEVELOP",
  once: true,
  steps: [{ run: "echo I am thinking about it" }, { hang: true }],
};

export const repairs: Turn = {
  action: "DEVELOP",
  when: "# ACTION: DEVELOP",
  repeat: true,
  steps: [{ run: "echo I know what to do" }, { write: { path: "src/sum.js", content: RIGHT } }],
  answer: { message: "It adds.", state_updates: { summary: "plus instead of minus" } },
};

/** Does it as soon as somebody says how, under another name: the tests as they were cannot follow. */
export const repairsWhenTold: Turn = {
  ...repairs,
  steps: [
    { run: "echo I wait for a word" },
    { expect_steer: "plus" },
    { write: { path: "src/sum.js", content: renamed(RIGHT) } },
    { write: { path: "test/sum.test.js", content: renamed(TESTS) } },
  ],
};
