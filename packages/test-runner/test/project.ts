import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A temporary project with these files, an hour old, removed when the test is over. */
export async function project(files: Readonly<Record<string, string>>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "ccw-loop-verify-test-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const anHourAgo = Date.now() / 1000 - 3600;
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), content);
    await utimes(join(dir, path), anHourAgo, anHourAgo);
  }
  return dir;
}
