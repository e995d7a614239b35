import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { adaptiveSync } from "../src/fs/node-disk.ts";
import { makeProject } from "./project.ts";

test("a slow disk is waited for in a thread until it is fast again", async () => {
  const times = [0, 1, 1, 11, 11, 12, 12, 13];
  const sync = adaptiveSync(() => times.shift() ?? 0);
  const fd = openSync(join(makeProject(), "file"), "w");
  /** Whether the sync was over before anything but promises could run. */
  const inPlace = async () => {
    let over = false;
    const work = sync(fd).then(() => {
      over = true;
    });
    for (let i = 0; i < 10; i++) await Promise.resolve();
    const early = over;
    await work;
    return early;
  };
  const seen = [await inPlace(), await inPlace(), await inPlace(), await inPlace()];
  // 1 ms, then 10 ms; so the third goes to a thread, reports 1 ms, and the fourth is in place again.
  expect(seen).toEqual([true, true, false, true]);
  closeSync(fd);
});

test("an error of the disk is an error", async () => {
  const sync = adaptiveSync();
  await expect(sync(999_999)).rejects.toThrow("EBADF");
});
