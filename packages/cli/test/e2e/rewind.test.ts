/** @module-tag slow */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { replay } from "@ccw-loop/core";
import { loopService } from "@ccw-loop/orchestrator";
import { memoryStore, scriptedAgent } from "@ccw-loop/testkit";
import { verifier } from "@ccw-loop/verify";
import { openWorkspace } from "@ccw-loop/workspace-git";
import fc from "fast-check";
import { expect, test } from "vitest";

/** What one task does to the project. */
const Edit = fc.oneof(
  fc.record({
    path: fc.constantFrom("a.txt", "b.txt", "dir/c.txt", "new.txt"),
    content: fc.string(),
  }),
  fc.record({ path: fc.constantFrom("a.txt", "dir/c.txt"), content: fc.constant(null) }),
  fc.record({ path: fc.constant("broken"), content: fc.constant("yes") }),
);
const Tasks = fc.array(fc.array(Edit, { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 4,
});
type Edits = readonly { path: string; content: string | null }[];

test("rewind gives exactly the files and the state of any checkpoint, and touches nothing else of the repository", async () => {
  await fc.assert(
    fc.asyncProperty(Tasks, fc.nat(), async (tasks, pick) => {
      const dir = project();
      try {
        await rewinds(dir, tasks, pick);
      } finally {
        rmSync(dir, { recursive: true, force: true });
      }
    }),
    { numRuns: 5, examples: [[[[{ path: "broken", content: "yes" }]], 2]] },
  );
}, 120_000);

async function rewinds(dir: string, tasks: readonly Edits[], pick: number): Promise<void> {
  const workspace = await openWorkspace(dir);
  const store = memoryStore();
  const service = loopService({
    store,
    cwd: dir,
    agent: async () => scriptedAgent({ script: { turns: turnsFor(tasks) } }),
    verifier: verifier(),
    workspace: async () => workspace,
  });
  const settings = { mode: "auto" as const, verify: "test ! -e broken" };
  const { loop_id: id } = await service.create({
    description: "Add it",
    max_iterations: 6,
    settings,
  });
  const before = repositoryOf(dir);
  const statuses = new Map<number, string>();
  await service.run(id, {
    onEvent: (live) => {
      if (live.kind !== "recorded" || live.recorded.event.type !== "checkpoint.made") return;
      statuses.set(live.recorded.event.checkpoint.n, git(dir, "status", "--porcelain"));
    },
  });
  if ((await service.get(id)).status === "running") await service.send(id, { type: "pause" });
  expect(repositoryOf(dir)).toEqual(before);

  const { checkpoints = [] } = await service.get(id);
  const target = checkpoints[pick % checkpoints.length];
  if (!target) throw new Error("A loop that ran has checkpoints.");
  const then = await stateAt(store, id, target.n);
  const { state: back } = await service.rewind(id, target.n);
  expect(await workspace.tree()).toBe(target.tree);
  // Whatever passed then has to pass again.
  const validate = then && { ...then.validate, stale: true };
  expect(back.skill_state).toEqual(then && { ...then, validate });
  expect(git(dir, "status", "--porcelain")).toBe(statuses.get(target.n));
  expect(repositoryOf(dir)).toEqual(before);
}

/** The `skill_state` right behind a checkpoint, as it was recorded. */
async function stateAt(store: ReturnType<typeof memoryStore>, id: string, n: number) {
  const events = [];
  for await (const { event } of store.events(id)) {
    events.push(event);
    if (event.type === "checkpoint.made" && event.checkpoint.n === n) break;
  }
  return replay(events).skill_state;
}

function turnsFor(tasks: readonly Edits[]) {
  const plan = tasks.map((_, n) => ({ description: `part ${n}` }));
  const idle = { active_bug: null, understanding: "unknown", hypotheses: [], fix_tasks: [] };
  return [
    { action: "INIT", answer: { state_updates: { tasks: plan } } },
    ...tasks.map((edits) => ({
      action: "DEVELOP",
      steps: edits.map(({ path, content }) =>
        content === null ? { delete: path } : { write: { path, content } },
      ),
      answer: { message: "done" },
    })),
    { action: "DEBUG", repeat: true, answer: { state_updates: idle } },
  ];
}

/** A repository with a dirty tree, staged changes, an ignored file and a stash. */
function project(): string {
  const dir = mkdtempSync(join(tmpdir(), "ccw-rewind-"));
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  };
  git(dir, "init", "-q", "-b", "main");
  write(".gitignore", "*.log\n.workflow\n");
  write("a.txt", "one\n");
  write("dir/c.txt", "three\n");
  git(dir, "add", ".");
  git(dir, "commit", "-q", "-m", "first");
  write("a.txt", "stashed\n");
  git(dir, "stash", "push", "-q");
  write("dir/c.txt", "staged\n");
  git(dir, "add", "dir/c.txt");
  write("dir/c.txt", "dirty\n");
  write("debug.log", "ignored\n");
  return dir;
}

function git(cwd: string, ...args: string[]): string {
  const identity = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.com"];
  return execFileSync("git", ["--no-optional-locks", ...identity, ...args], {
    cwd,
    encoding: "utf8",
  });
}

/** Everything in `.git` by content, without objects, our own refs and our own folder. */
function repositoryOf(dir: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(join(dir, ".git"), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(dir.length + 1);
    if (!entry.isFile() || /^\.git\/(objects|refs\/ccw-loop|ccw-loop)\//.test(path)) continue;
    found[path] = createHash("sha256")
      .update(readFileSync(join(dir, path)))
      .digest("hex");
  }
  return found;
}
