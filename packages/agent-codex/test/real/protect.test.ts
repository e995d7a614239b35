/** @module-tag slow */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { applyPatch, message, runCommand } from "@ccw-loop/testkit";
import { describe, expect, it } from "vitest";
import { confined, only, stage, withCodex } from "../harness.ts";

const OK = { items: [message("done")] };
const idle = { signal: new AbortController().signal, timeoutMs: 60_000 };

describe.runIf(withCodex)(
  "protected folders of the real Codex",
  { timeout: 60_000, concurrent: true },
  () => {
    it("can be read, and written by no command, patch or exec of the agent", async (context) => {
      const state = ".workflow/.loop/x.json";
      await using it = await stage({
        files: { [state]: "true state", "build/old.txt": "" },
        script: [
          {
            items: [
              runCommand(
                `echo forged > ${state}; mv .workflow w; ln ${state} h; cat ${state}; echo fine > new.txt`,
              ),
            ],
          },
          { items: [runCommand("d=.work; rm -rf build $d'flow'")] },
          { items: [applyPatch(`*** Update File: ${state}\n@@\n-true state\n+forged`)] },
          {
            items: [
              runCommand(`echo forged > ${state}`, {
                sandbox_permissions: "require_escalated",
                justification: "I need to",
              }),
            ],
          },
          { items: [applyPatch("*** Add File: patched.txt\n+fine")] },
          OK,
        ],
      });
      await using session = await confined(it, context);
      await it.run(session, "forge");
      const outputs = it.model.requests.at(-1)?.toolOutputs ?? [];
      expect(outputs[0]).toMatch(/x\.json: Read-only file system(?:.|\n)*true state/);
      expect(outputs[2]).toContain("patch rejected");
      expect(outputs[3]).toContain("cannot ask for escalated permissions");

      const again = await session.exec?.(`echo forged > ${state}; echo fine > exec.txt`, idle);
      expect(again?.output).toContain("Read-only file system");
      expect(await readFile(join(it.repo.path, state), "utf8")).toBe("true state");
      const changed = (await it.repo.git("status", "--short")).trimEnd().split("\n");
      const deleted = only(it.events, "approval.answered").length > 0 ? ["D build/old.txt"] : [];
      expect(changed.map((line) => line.trim())).toEqual([
        ...deleted,
        "?? exec.txt",
        "?? new.txt",
        "?? patched.txt",
      ]);
    });

    it("are the whole project for an agent that is to look alone", async (context) => {
      await using it = await stage({
        files: { "there.txt": "to be seen" },
        script: [
          { items: [runCommand("cat there.txt; echo changed > there.txt; touch new.txt")] },
          { items: [applyPatch("*** Add File: patched.txt\n+fine")] },
          OK,
        ],
      });
      await using session = await confined(it, context, { readOnly: true });
      await it.run(session, "review");
      const outputs = it.model.requests.at(-1)?.toolOutputs ?? [];
      expect(outputs[0]).toMatch(/to be seen(?:.|\n)*Read-only file system/);
      expect(outputs[1]).toContain("patch rejected");
      expect(await it.repo.git("status", "--short")).toBe("");
    });

    it("do without a folder that is hidden: its files cannot even be read", async (context) => {
      await using it = await stage({ script: [] });
      const folder = join(it.home.env.HOME ?? "", "keys");
      await mkdir(folder);
      await writeFile(join(folder, "receipt.key"), "secret");
      it.options.hide = [folder];
      await using session = await confined(it, context);
      const result = await session.exec?.(`cat ${folder}/receipt.key; echo fine`, idle);
      expect(result?.output).toContain("fine");
      expect(result?.output).not.toContain("secret");
    });

    it("stay so in a conversation that is resumed or copied, and cannot be made where missing", async (context) => {
      const forge = runCommand("mkdir -p .workflow/.loop; touch .workflow/x fine.txt");
      await using it = await stage({
        script: [OK, { items: [forge] }, OK, { items: [forge] }, OK],
      });
      const first = await confined(it, context);
      const { turn_id } = await it.run(first, "begin");
      const session_id = first.id ?? "";
      await first.close();
      await it.run(await it.open({ sessionId: session_id }), "go on");
      const forkOf = { session_id, turn_id: turn_id ?? null };
      await it.run(await it.open({ forkOf }), "another way");
      for (const request of [it.model.requests[2], it.model.requests[4]]) {
        expect(request?.toolOutputs.at(-1)).toContain("Read-only file system");
      }
      expect(await readdir(join(it.repo.path, ".workflow"))).toEqual([]);
      expect(await readdir(it.repo.path)).toContain("fine.txt");
    });

    it("of the main worktree cannot be written from a linked one, even in a temporary folder", async (context) => {
      await using it = await stage({ script: [] });
      const tmp = it.home.env.TMPDIR ?? "";
      const [main, linked] = [join(tmp, "main"), join(tmp, "main.worktrees/one")];
      await it.repo.git("clone", "--quiet", it.repo.path, main);
      await it.repo.git("-C", main, "worktree", "add", "--quiet", linked, "-b", "side");
      await mkdir(join(main, ".workflow"));
      await using session = await confined(it, context, { cwd: linked });
      const result = await session.exec?.(`touch ${main}/.workflow/x fine.txt`, idle);
      expect(result?.output).toContain("Read-only file system");
      expect(await readdir(linked)).toContain("fine.txt");
    });
  },
);
