/** @module-tag slow */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { message, runCommand } from "@ccw-loop/testkit";
import { describe, expect, it } from "vitest";
import { only, stage, withCodex } from "../harness.ts";
import { codexIn } from "../processes.ts";

describe.runIf(withCodex)("forking the real Codex", { timeout: 60_000, concurrent: true }, () => {
  it("a copy works in a worktree of its own while the original goes on, crash or not", async () => {
    await using it = await stage({
      script: ({ userTexts, toolOutputs }) =>
        userTexts.at(-1)?.endsWith("copy") && toolOutputs.length === 0
          ? { items: [runCommand("echo changed >> add.mjs; touch ../escaped")] }
          : { items: [message("ok", "final_answer")] },
    });
    const original = await it.open();
    await it.run(original, "one");
    const { turn_id = null } = await it.run(original, "two");
    await it.run(original, "three");

    const worktree = join(it.repo.path, ".worktrees", "copy");
    await it.repo.git("worktree", "add", "--quiet", "-b", "copy", worktree);
    const forkOf = { session_id: original.id ?? "", turn_id };
    const copy = await it.open({ cwd: worktree, forkOf });
    const { id } = copy;
    process.kill(codexIn(worktree), "SIGKILL");
    // Whether it was seen to be gone before the turn or only in it: the next one works on.
    const again = () => it.run(copy, "copy");
    const { usage } = await again().catch(again);

    expect(copy.id).toBe(id);
    const seen = it.model.requests.at(-1)?.userTexts;
    expect(seen).toEqual(["one", "two", expect.stringMatching(/copy$/)]);
    expect(usage?.total_tokens).toBe(240);
    expect(await readFile(join(worktree, "add.mjs"), "utf8")).toContain("changed");
    expect(await readFile(join(it.repo.path, "add.mjs"), "utf8")).not.toContain("changed");
    expect(it.model.requests.at(-1)?.toolOutputs.join()).toContain("Read-only file system");

    await it.run(original, "four");
    expect(it.model.requests.at(-1)?.userTexts).toEqual(["one", "two", "three", "four"]);
    expect(only(it.events, "session.started").map((e) => e.session_id)).toEqual([original.id, id]);
    expect(only(it.events, "warning.raised")).toEqual([]);
  });
});
