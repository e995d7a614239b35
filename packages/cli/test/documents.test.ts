import { expect, test } from "vitest";
import { COMMANDS } from "../src/program/commands.ts";
import { createProgram } from "../src/program/program.ts";
import { nameOf } from "../src/runtime/perform.ts";
import { DOCUMENTS, documentIn } from "./support/documents.ts";
import { fakeIo } from "./support/fake-io.ts";
import { commitAll, plan, project, write } from "./support/project.ts";

test("every command but those of screens and of another protocol has a document, and is there when it is named first", () => {
  const io = fakeIo();
  const { commands } = createProgram(io, () => undefined);
  const leaves = commands.flatMap((c) => (c.commands.length > 0 ? c.commands : [c]));
  const named = leaves.map(nameOf).filter((name) => name !== "tui" && name !== "mcp");
  expect(named.sort()).toEqual(Object.keys(DOCUMENTS).sort());
  const listed = Object.values<object>(COMMANDS).flatMap((those) => Object.keys(those));
  const all = commands.map((c) => c.name());
  expect(listed.filter((name) => !name.includes(" ")).sort()).toEqual(all.sort());
  for (const name of commands.map((c) => c.name())) {
    const some = createProgram(io, () => undefined, name).commands.map((c) => c.name());
    expect(some).toContain(name);
    expect(some.length).toBeLessThan(commands.length);
  }
});

test("with --json every command prints its one document, and nothing of it on stderr", {
  tags: ["slow"],
}, async () => {
  await using here = await project(plan, { ...write("42"), repeat: true });
  await commitAll(here);
  const json = async <C extends keyof typeof DOCUMENTS>(
    command: C,
    code: number,
    ...rest: string[]
  ) => {
    const ran = await here.cli(...command.split(" "), ...rest, "--json");
    expect(ran.code, ran.err).toBe(code);
    return documentIn(command, ran.out);
  };

  const ran = await json("run", 0, "--auto", ...here.flags, "--loop-id", "a", "--create", "x");
  expect(ran).toMatchObject({ loop_id: "a", status: "completed", exit_code: 0, iteration: 2 });
  expect(ran.receipt).toMatchObject({ passed: true, command: "node check.mjs" });
  expect(ran.files_changed).toEqual(["answer"]);

  expect((await json("list", 0)).loops).toMatchObject([{ loop_id: "a", action: "COMPLETE" }]);
  expect(await json("show", 0, "a")).toMatchObject({ loop: { loop_id: "a", status: "completed" } });
  expect(await json("show", 0, "a", "--receipt")).toMatchObject({ receipt: { passed: true } });
  expect(await json("why", 0, "a")).toMatchObject({ action: null, rule: 1, driven_by: null });
  expect((await json("logs", 0, "a")).activity.length).toBeGreaterThan(3);
  expect(await json("watch", 0, "a")).toMatchObject({ status: "completed" });
  expect(await json("verify", 0, "a")).toMatchObject({ loop_id: "a", result: "stands" });
  expect((await json("report", 0, "a")).report).toContain("Completed and proven");
  const { timeline, checkpoints } = await json("timeline", 0, "a");
  expect(timeline.map(({ action }) => action)).toEqual(["INIT", "DEVELOP", "VALIDATE", "COMPLETE"]);
  expect(await json("diff", 0, "a", `0..${checkpoints.at(-1)}`)).toMatchObject({
    from: 0,
    files: [{ path: "answer", kind: "modified", added: 1, removed: 1 }],
  });
  expect(await json("fork", 0, "a", "1", "--loop-id", "b")).toMatchObject({
    loop_id: "b",
    status: "paused",
    worktree: { branch: "ccw-loop/b" },
    forked_from: { loop_id: "a", checkpoint: 1 },
  });
  expect(await json("rewind", 0, "a", "1")).toMatchObject({ status: "paused", checkpoint: 1 });
  expect((await json("clean", 0)).worktrees).toMatchObject([{ id: "b", removed: false }]);
  await json("delete", 0, "b", "--yes");
  await json("run", 0, "--auto", "--loop-id", "a");

  const added = await json("tasks add", 0, "a", "one more", "--task-id", "more");
  expect(added.tasks.map((task) => task.id)).toEqual(["task-001", "more"]);
  const changes = ["--description", "other", "--tool", "qwen"];
  const changed = await json("tasks edit", 0, "a", "more", ...changes);
  expect(changed.tasks[1]).toMatchObject({ description: "other", tool: "qwen" });
  expect((await json("tasks reorder", 0, "a", "more")).tasks[0]?.id).toBe("more");
  expect((await json("tasks list", 0, "a")).tasks).toHaveLength(2);

  expect(await json("resume", 0, "a", "--reopen", "--no-run")).toMatchObject({ status: "running" });
  expect(await json("pause", 0, "a")).toMatchObject({ status: "paused", exit_code: 4 });
  expect((await json("tasks remove", 0, "a", "more")).tasks).toHaveLength(1);
  expect(await json("exit", 0, "a")).toMatchObject({ status: "user_exit" });
  await json("resume", 0, "a", "--no-run");
  expect(await json("stop", 0, "a")).toMatchObject({ outcome: { code: "stopped_by_user" } });
  expect(await json("recover", 0, "a")).toMatchObject({ recovered: false });
  expect(await json("delete", 0, "a", "--yes")).toEqual({ loop_id: "a", deleted: true });
  expect(await json("list", 0)).toEqual({ total: 0, damaged: [], loops: [] });

  expect((await json("config show", 0, "--auto")).settings.mode).toEqual({
    value: "auto",
    origin: "flag",
  });
  expect((await json("completion", 0, "bash")).script).toContain(
    "complete -o default -F _ccw_loop ccw-loop",
  );
  expect((await json("__complete", 0, "tim")).candidates).toMatchObject([{ value: "timeline" }]);
  expect((await json("doctor", 5)).ok).toBe(false);
});
