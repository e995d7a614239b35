import { rm } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { gitWorkspace } from "../src/index.ts";
import { act, edit } from "./edits.ts";
import { fill, place } from "./place.ts";
import { makeRepository, userGit } from "./repository.ts";
import { emptyFoldersIn, filesIn, userState } from "./states.ts";

/** Ignored files, and secrets: in no checkpoint unless somebody tracks them. */
const ASIDE = /^(\.git|\.workflow|ignored|[^/]*\.log|\.env|keys)(\/|$)/;
const NOT_IGNORED = /^(?!(ignored|[^/]*\.log)(\/|$))/;

async function freshRepository(autocrlf: string): Promise<string> {
  const cwd = await place();
  await makeRepository(cwd);
  await fill(cwd, {
    ".git/info/exclude": "ignored/\n*.log\n",
    ".gitattributes": "*.sh text eol=lf\ngr* ident\n",
    a: "one\r\n",
    "d/e": "one\n",
    "ignored/kept": "never touched",
    ".env": "PASSWORD=1",
  });
  await userGit(cwd, "config", "core.autocrlf", autocrlf);
  await userGit(cwd, "config", "core.safecrlf", "false");
  await userGit(cwd, "add", "a", "d", ".gitattributes");
  await userGit(cwd, "commit", "-q", "-m", "second");
  return cwd;
}

/** What neither a checkpoint nor a rewind may change. */
async function untouchable(cwd: string) {
  return { git: await userState(join(cwd, ".git")), ignored: await filesIn(cwd, NOT_IGNORED) };
}

test("a rewind to any checkpoint gives its files and changes nothing else, whatever was done", {
  timeout: 90_000,
}, async () => {
  const actions = fc.array(fc.array(edit, { minLength: 1, maxLength: 8 }), {
    minLength: 2,
    maxLength: 3,
  });
  const rewinds = fc.array(fc.nat(4), { minLength: 2, maxLength: 2 });
  const property = fc.asyncProperty(
    actions,
    rewinds,
    fc.constantFrom("false", "true", "input"),
    async (edited, wanted, autocrlf) => {
      const cwd = await freshRepository(autocrlf);
      const workspace = gitWorkspace(cwd);
      const kept: { commit: string; files: Record<string, string> }[] = [];
      const keep = async () => {
        const before = [await untouchable(cwd), await filesIn(cwd, /^\.(git|workflow)$/)];
        const { commit } = await workspace.checkpoint("loop", kept.length, "An action");
        const after = [await untouchable(cwd), await filesIn(cwd, /^\.(git|workflow)$/)];
        expect(after).toEqual(before);
        kept.push({ commit, files: await filesIn(cwd, ASIDE) });
        return commit;
      };
      await keep();
      for (const edits of edited) {
        for (const one of edits) await act(cwd, one);
        await keep();
      }
      for (const number of wanted) {
        const to = kept[number % kept.length] ?? { commit: "", files: {} };
        const before = await untouchable(cwd);
        const emptyBefore = await emptyFoldersIn(cwd);
        await workspace.restore(to.commit);
        expect(await filesIn(cwd, ASIDE)).toEqual(to.files);
        expect(await untouchable(cwd)).toEqual(before);
        expect(emptyBefore).toEqual(expect.arrayContaining(await emptyFoldersIn(cwd)));
        const { files } = await workspace.diff(to.commit, await keep());
        expect(files.filter(({ path }) => !ASIDE.test(path))).toEqual([]);
      }
      await rm(cwd, { recursive: true, force: true });
    },
  );
  await fc.assert(property, { numRuns: 5 });
});
