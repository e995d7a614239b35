import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RecordedEvent } from "@ccw-loop/core";
import type { AgentScriptInput } from "@ccw-loop/testkit";
import { expect, vi } from "vitest";
import type { Ran } from "./bin.ts";
import { type FakeIo, fakeIo } from "./fake-io.ts";
import { finish } from "./run-cli.ts";

export type Turn = AgentScriptInput["turns"][number];

/**
 * A project whose test is that `answer` holds 42, and an agent that plays `turns`. A folder without a repository,
 * where a loop starts some ten processes instead of seventy; `repository` has one. Removed when disposed.
 */
export interface Project extends AsyncDisposable {
  dir: string;
  /** `--agent` and `--verify` for it. */
  flags: string[];
  /** Runs `ccw-loop ARGS` in it, without a terminal. */
  cli(...args: string[]): Promise<Ran>;
  /** The same with an Io of the test's own. */
  run(io: FakeIo, ...args: string[]): Promise<Ran>;
  io(options?: Parameters<typeof fakeIo>[0]): FakeIo;
}

export const plan: Turn = {
  action: "INIT",
  answer: { message: "One task.", state_updates: { tasks: [{ description: "find the answer" }] } },
};

export const write = (content: string): Turn => ({
  action: "DEVELOP",
  steps: [{ write: { path: "answer", content } }, { say: "The answer is written." }],
  answer: { message: `Wrote ${content}.`, state_updates: { summary: "written" } },
});

/** Answers every prompt of DEBUG alike: the verdict counts as soon as there is evidence for it. */
export const findCause: Turn = {
  action: "DEBUG",
  when: "# ACTION: DEBUG",
  repeat: true,
  answer: {
    message: "The answer is wrong.",
    state_updates: {
      active_bug: "the wrong answer",
      understanding: "It has to be 42.",
      hypotheses: [
        {
          id: "H1",
          description: "the number is wrong",
          testable_condition: "answer is not 42",
          logging_point: "answer:1",
          evidence_criteria: { confirm: "not 42", reject: "42" },
          likelihood: 1,
          probe: {
            command: "cat answer",
            if_holds: [{ kind: "number", pattern: ".+", compare: "!=", value: 42 }],
            if_not: [{ kind: "number", pattern: ".+", compare: "=", value: 42 }],
          },
        },
      ],
      confirmed_hypothesis: "H1",
      fix_tasks: [{ description: "write 42" }],
    },
  },
};

/** Begins DEVELOP and then does nothing until it is stopped; the turn after it is the one that is repeated. */
export const hang: Turn = {
  action: "DEVELOP",
  once: true,
  steps: [{ run: "echo thinking" }, { hang: true }],
};

/** What a driving terminal shows as soon as `hang` is under way. */
export const HANGING = "$ echo thinking";

/** Drives a new loop `a` in this process; answers as soon as `hang` is under way. */
export async function hanging(here: Project): Promise<{ io: FakeIo; run: Promise<Ran> }> {
  const io = here.io();
  const run = here.run(io, "run", "--auto", ...here.flags, "--loop-id", "a", "--create", "x");
  await vi.waitFor(() => expect(io.err()).toContain(HANGING), { timeout: 20_000 });
  return { io, run };
}

const CHECK = `import { readFileSync } from "node:fs";
const answer = readFileSync("answer", "utf8");
console.log("the answer is " + answer);
process.exit(answer === "42" ? 0 : 1);
`;

export async function project(...turns: [Turn, ...Turn[]]): Promise<Project> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "ccw-cli-")));
  // It keeps loops, so no folder above it is taken for the project.
  await mkdir(join(dir, ".workflow", ".loop"), { recursive: true, mode: 0o700 });
  await writeFile(join(dir, "check.mjs"), CHECK);
  await writeFile(join(dir, "answer"), "0");
  await writeFile(join(dir, "agent.json"), JSON.stringify({ turns }));
  const io: Project["io"] = (options) => fakeIo({ cwd: dir, ...options });
  const run: Project["run"] = (own, ...args) => finish(own, args);
  return {
    dir,
    flags: ["--agent", "scripted:agent.json", "--verify", "node check.mjs"],
    cli: (...args) => run(io(), ...args),
    run,
    io,
    async [Symbol.asyncDispose]() {
      for (const folder of [dir, `${dir}.worktrees`]) {
        await rm(folder, { recursive: true, force: true, maxRetries: 5 });
      }
    },
  };
}

/** The same in a git repository without a commit. */
export async function repository(...turns: Parameters<typeof project>): Promise<Project> {
  const here = await project(...turns);
  execFileSync("git", ["init", "--quiet"], { cwd: here.dir });
  return here;
}

/** Makes it a repository whose first commit has everything, so that it can have worktrees. */
export async function commitAll({ dir }: Project): Promise<void> {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: dir });
  git("init", "--quiet");
  git("add", "--all");
  const who = ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false"];
  git(...who, "commit", "--quiet", "--message", "begin");
}

/** The state file of a loop, as any program would read it. */
export async function stateOf({ dir }: Project, id: string) {
  return JSON.parse(await readFile(join(dir, ".workflow", ".loop", `${id}.json`), "utf8"));
}

/** The journal says what was really done, whoever believes what. */
export function executed({ dir }: Project, id: string): string[] {
  const text = readFileSync(join(dir, ".workflow", ".loop", `${id}.journal.jsonl`), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => RecordedEvent.parse(JSON.parse(line)).event)
    .flatMap((event) => {
      if (event.type === "action.completed") return [event.output.action];
      return event.type === "action.interrupted" ? [`${event.action} cut off`] : [];
    });
}
