import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { LoopError, type LoopEvent, MAX_ATTEMPTS, tasksOf } from "@ccw-loop/core";
import { openWorkspace } from "@ccw-loop/workspace-git";
import { describe, expect, test, vi } from "vitest";
import { commanded, lastError, ran } from "./commanded.ts";
import { afterCommit } from "./interfere.ts";
import { debug, eventsOf, type Turns, write } from "./support.ts";

describe("an analysis may change no file", () => {
  const analysis = { mode: "analysis" };

  test("a command that does fails, and the files are put back", async () => {
    const b = await commanded("echo 2 > kept.js; echo 1 > new.js; echo found", analysis);
    await writeFile(b.file("kept.js"), "1\n");
    const state = await b.service.run(b.id);
    expect(tasksOf(state)[0]).toMatchObject({ status: "failed", files_changed: [] });
    expect(lastError(state)).toMatch(
      /^It may change no file \(mode analysis\), but changed kept\.js, new\.js\. The files were put back\. The changes are kept; bring one back with: git checkout \w+ -- PATH$/,
    );
    expect(readFileSync(b.file("kept.js"), "utf8")).toBe("1\n");
    expect(existsSync(b.file("new.js"))).toBe(false);
  });

  test("one that only looks is done", async () => {
    const { task, done } = await ran("ls -a", analysis);
    expect(task).toMatchObject({ status: "completed", files_changed: [] });
    expect(done.slice(0, 3)).toEqual(["INIT", "DEVELOP", "VALIDATE(pass)"]);
  });

  test("where nothing can be put back the task fails, and says so", async () => {
    const b = await commanded("echo 1 > new.js", { mode: "analysis", on_error: "pause" });
    b.workspace.restore = () => Promise.reject(new LoopError("invalid_input", "There is no git."));
    const state = await b.service.run(b.id);
    expect(tasksOf(state)[0]).toMatchObject({ status: "failed" });
    const [ended] = (await eventsOf(b.store, b.id, "action.failed")).map((event) => event);
    expect(ended?.files_changed).toEqual(["new.js"]);
    expect(lastError(state)).toMatch(/changed new\.js\. They stay changed: There is no git\.$/);
    expect(existsSync(b.file("new.js"))).toBe(true);
  });

  test.each<[string, Turns[number]]>([
    ["succeeds", { ...write("new.js", "1"), expect: "change no file" }],
    [
      "fails",
      {
        action: "DEVELOP",
        steps: [{ write: { path: "new.js", content: "1" } }, { fail: "agent_failed" }],
      },
    ],
  ])("a turn that changes one and %s fails, too", async (_, turn) => {
    const { task, file, done } = await ran("", { tool: "codex", command: undefined, ...analysis }, [
      turn,
      debug(),
    ]);
    expect(done.slice(1, 2)).toEqual(["DEVELOP(failed)"]);
    expect(task?.status).toBe("failed");
    expect(existsSync(file("new.js"))).toBe(false);
  });

  test("a turn that changes one and asks a person leaves the files as they were meanwhile", async () => {
    const asks: Turns[number] = {
      ...{ action: "DEVELOP", steps: [{ write: { path: "new.js", content: "1" } }] },
      answer: { status: "needs_input", message: "Which?" },
    };
    const told: string[] = [];
    const b = await commanded("", { tool: "codex", command: undefined, ...analysis }, [asks]);
    const state = await b.service.run(b.id, {
      onEvent: (live) => {
        if (live.kind === "activity" && live.activity.event.type === "warning.raised")
          told.push(live.activity.event.message);
      },
    });
    expect(state.waiting).toMatchObject({ prompt: "Which?" });
    expect(existsSync(b.file("new.js"))).toBe(false);
    expect(told).toEqual([expect.stringContaining("changed new.js. The files were put back.")]);
  });

  test("one that is cut off too often leaves nothing behind", async () => {
    const b = await commanded("ls", analysis);
    afterCommit(
      b.store,
      (event) => event.type === "action.completed" && event.action === "INIT",
      () => b.service.send(b.id, { type: "pause" }),
    );
    const { revision = 0, updated_at: at } = await b.service.run(b.id);
    const tree = await b.workspace.tree();
    const of = { at, action: "DEVELOP" as const };
    const tries = Array.from({ length: MAX_ATTEMPTS }, (_, n): LoopEvent[] => [
      { type: "action.started", ...of, attempt: n + 1, task_id: "t", tree },
      { type: "action.interrupted", ...of, reason: "crash", active_ms: 1 },
    ]);
    await b.store.append(b.id, revision, tries.flat(), { actor: "test" });
    await writeFile(b.file("new.js"), "1");
    await b.service.send(b.id, { type: "resume" });
    await b.service.run(b.id);
    const [failed] = (await eventsOf(b.store, b.id, "action.failed")).map((event) => event.code);
    expect(failed).toBe("cut_off");
    expect(existsSync(b.file("new.js"))).toBe(false);
  });
});

describe("an analysis in a git repository", () => {
  async function inGit(command: string) {
    const fields = { mode: "analysis", on_error: "pause" };
    const b = await commanded(command, fields, [debug()], { workspace: openWorkspace });
    const git = (...args: string[]) => execFileSync("git", args, { cwd: b.dir, encoding: "utf8" });
    git("init", "--quiet");
    await writeFile(b.file("a.js"), "1\n");
    await writeFile(b.file("b.js"), "1\n");
    await writeFile(b.file(".env"), "KEY=1\n");
    return { ...b, git, text: (name: string) => readFileSync(b.file(name), "utf8") };
  }

  test("is not said to be put back where it was not: no checkpoint keeps secrets", async () => {
    const b = await inGit("echo 2 > a.js; echo KEY=2 > .env; echo x > key.pem");
    const error = lastError(await b.service.run(b.id)) ?? "";
    expect(error).toMatch(
      /They stay changed, .*: \.env, key\.pem\. Put back: a\.js\. .*git checkout \w+ -- PATH$/,
    );
    expect([b.text("a.js"), b.text(".env")]).toEqual(["1\n", "KEY=2\n"]);
    const [commit = ""] = /(?<=git checkout )\w+/.exec(error) ?? [];
    b.git("checkout", commit, "--", "a.js");
    expect(b.text("a.js")).toBe("2\n");
  });

  test("is put back though a person changed another file while it was paused", async () => {
    const b = await inGit("echo 2 > a.js; test -e .git/go || sleep 600");
    const running = b.service.run(b.id);
    await vi.waitFor(() => expect(b.text("a.js")).toBe("2\n"), 10_000);
    await b.service.send(b.id, { type: "pause" });
    await running;
    await writeFile(b.file("b.js"), "mine\n");
    await writeFile(b.file(".git/go"), "");
    await b.service.send(b.id, { type: "resume" });
    expect(lastError(await b.service.run(b.id))).toContain("The files were put back.");
    expect([b.text("a.js"), b.text("b.js")]).toEqual(["1\n", "mine\n"]);
  });
});
