import { batches, contentsOf, sizesOf } from "../objects.ts";
import type { OpenRepository } from "../opened.ts";
import { shownPath } from "../paths.ts";
import { git } from "../run-git.ts";
import { checkpointEntries } from "./kept.ts";

const MOST = 1024 * 1024;

/** The first 1 MB of each file; for a link where it points. */
export async function readCheckpoint(
  { repository }: OpenRepository,
  commit: string,
  paths: readonly string[],
): Promise<Map<string, Uint8Array>> {
  const asked = new Set(paths);
  const found = (await checkpointEntries(repository, commit))
    .filter(({ mode }) => mode !== "160000")
    .map(({ path, name }) => ({ path: shownPath(repository, path), name }))
    .filter(({ path }) => asked.has(path));
  const sizes = await sizesOf(
    repository,
    found.map(({ name }) => name),
  );
  const there = found.flatMap(({ path, name }) => {
    const size = sizes.get(name);
    return size === undefined ? [] : [{ path, name, size }];
  });
  const contents = new Map<string, Uint8Array>();
  for (const group of batches(there.filter(({ size }) => size <= MOST))) {
    const read = await contentsOf(
      repository,
      group.map(({ name }) => name),
    );
    group.forEach(({ path }, index) => {
      contents.set(path, read[index] ?? Buffer.alloc(0));
    });
  }
  for (const { path, name } of there.filter(({ size }) => size > MOST)) {
    const { stdout } = await git(["cat-file", "blob", name], { cwd: repository.top, most: MOST });
    contents.set(path, Buffer.from(stdout, "latin1"));
  }
  return contents;
}
