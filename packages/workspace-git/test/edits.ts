import { chmod, lstat, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { userGit } from "./repository.ts";

/** What a user or an agent does between two checkpoints. */
export type Edit =
  | { do: "write"; path: string; content: string }
  | { do: "link"; path: string; to: string }
  | { do: "delete"; path: string }
  | { do: "chmod"; path: string }
  | { do: "rename"; path: string; to: string }
  | { do: "git"; args: string[] };

const PATHS = ["a", "a/b", "a/b/c", "d", "d/e", "run.sh", "two words", "grüße", "-rf", "deep/1/2"];
const ASIDE = ["ignored/x", "some.log", ".env", "keys/server.pem"];
const CONTENTS = [
  "",
  "one\n",
  "two\n",
  "one\r\ntwo\r\n",
  "mixed\r\nends\n",
  "\0\x01\xff",
  "$Id$\n",
];
const GIT = [
  ["add", "-A"],
  ["add", "d"],
  ["rm", "-r", "-q", "--cached", "a"],
  ["commit", "-q", "-a", "-m", "by the user"],
  ["commit", "-q", "--allow-empty", "-m", "by the user"],
  ["switch", "-q", "-c", "other"],
  ["reset", "-q", "HEAD~"],
  ["reset", "-q", "--hard"],
  ["stash", "-q"],
  ["add", "--intent-to-add", "a", "d"],
  ["update-index", "--assume-unchanged", "d/e"],
];

const path = fc.constantFrom(...PATHS);

export const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("write" as const),
      path,
      content: fc.constantFrom(...CONTENTS),
    }),
  },
  fc.record({
    do: fc.constant("write" as const),
    path: fc.constantFrom(...ASIDE),
    content: fc.constantFrom(...CONTENTS),
  }),
  fc.record({ do: fc.constant("delete" as const), path }),
  fc.record({ do: fc.constant("chmod" as const), path }),
  fc.record({ do: fc.constant("rename" as const), path, to: path }),
  fc.record({ do: fc.constant("link" as const), path, to: fc.constantFrom("d", "nowhere", ".") }),
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("git" as const), args: fc.constantFrom(...GIT) }),
  },
);

/** Does it; what is not possible at the moment (deleting what is not there) is left undone. */
export async function act(cwd: string, wanted: Edit): Promise<void> {
  if (wanted.do === "git") {
    await userGit(cwd, ...wanted.args).catch(() => "not possible now");
    return;
  }
  const file = join(cwd, wanted.path);
  if (wanted.do === "delete") await remove(file).catch(() => "not there");
  else if (wanted.do === "chmod") await toggle(file).catch(() => "not there");
  else if (wanted.do === "rename") await rename(file, join(cwd, wanted.to)).catch(() => "not so");
  else {
    await makeRoom(cwd, wanted.path);
    if (wanted.do === "link") await symlink(wanted.to, file);
    else await writeFile(file, wanted.content, "latin1");
  }
}

async function remove(file: string): Promise<void> {
  await rm(file, { recursive: true });
}

async function toggle(file: string): Promise<void> {
  const { mode } = await lstat(file);
  await chmod(file, mode ^ 0o111);
}

/** A file becomes a folder, and a folder a file, where that is needed. */
async function makeRoom(cwd: string, path: string): Promise<void> {
  const parts = path.split("/");
  for (const [index] of parts.slice(1).entries()) {
    const folder = join(cwd, ...parts.slice(0, index + 1));
    const found = await lstat(folder).catch(() => null);
    if (found && !found.isDirectory()) await rm(folder);
  }
  await rm(join(cwd, path), { recursive: true, force: true });
  await mkdir(dirname(join(cwd, path)), { recursive: true });
}
