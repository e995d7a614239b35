import { chmod, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readNamedKey, readOrMakeKey } from "../src/config/seal-key.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccw-key-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("several that need a key at once end with the same one, for the user alone", async () => {
  const path = join(folder, "ccw-loop", "receipt.key");
  const made = await Promise.all(Array.from({ length: 12 }, () => readOrMakeKey(path)));
  const keys = new Set(made.map((key) => Buffer.from(key).toString("hex")));
  expect(keys.size).toBe(1);
  expect([...keys][0]).toHaveLength(64);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, "ccw-loop"))).mode & 0o777).toBe(0o700);
  expect(await readdir(join(folder, "ccw-loop"))).toEqual(["receipt.key"]);
});

test("a key that others may read, a file without a key and a place for none are refused", async () => {
  const path = join(folder, "receipt.key");
  await readOrMakeKey(path);
  await chmod(path, 0o644);
  await expect(readOrMakeKey(path)).rejects.toMatchObject({ code: "unsafe_path" });
  await chmod(path, 0o600);
  await writeFile(path, "short");
  await expect(readOrMakeKey(path)).rejects.toMatchObject({ code: "invalid_input" });
  await expect(readOrMakeKey(join(path, "deeper", "receipt.key"))).rejects.toMatchObject({
    code: "system_unavailable",
    message: expect.stringContaining("XDG_CONFIG_HOME"),
  });
});

test("a key that somebody named is never made: a name that was misspelt is said", async () => {
  const path = join(folder, "typo", "receipt.key");
  await expect(readNamedKey(path)).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining(`There is no key ${path}.`),
  });
  expect(await readdir(folder)).toEqual([]);
  expect(await readNamedKey(await madeKey())).toHaveLength(32);
});

async function madeKey(): Promise<string> {
  const path = join(folder, "receipt.key");
  await readOrMakeKey(path);
  return path;
}
