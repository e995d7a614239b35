/** Programs that had the state file open while we replaced it, and what is exchanged for it. */
import {
  closeSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { exchangeCall, replace } from "../src/fs/replace.ts";
import { beginExternal, beside } from "./external.ts";
import { BY, noted, readJson } from "./loops.ts";
import { makeProject } from "./project.ts";

async function writeLate(fd: number, text: string): Promise<void> {
  ftruncateSync(fd);
  writeSync(fd, text, 0);
  closeSync(fd);
}

test("what is written late into a document that was replaced meanwhile is taken in", async () => {
  const { root, store, path } = await beginExternal();
  const text = JSON.stringify({ ...readJson(path), title: "Late" });
  const fd = openSync(path, "r+");
  await store.append("a", 2, [noted("ours")], BY);
  await writeLate(fd, text);
  await vi.waitFor(
    async () =>
      expect((await store.read("a")).state).toMatchObject({ title: "Late", notes: "ours" }),
    { timeout: 10_000 },
  );
  expect(readJson(path)).toMatchObject({ title: "Late", notes: "ours" });
  expect(beside(root)).toEqual([]);
  await store.close();
});

test("closing looks once more, so that a short command loses nothing", async () => {
  const { store, path } = await beginExternal();
  const text = JSON.stringify({ ...readJson(path), title: "Late" });
  const fd = openSync(path, "r+");
  await store.append("a", 2, [noted("ours")], BY);
  await writeLate(fd, text);
  await store.close();
  expect(readJson(path)).toMatchObject({ title: "Late", notes: "ours" });
});

const isLinux = process.platform === "linux" && ["x64", "arm64"].includes(process.arch);
test.runIf(isLinux)("this system exchanges files", () => {
  const folder = makeProject();
  writeFileSync(join(folder, "a"), "A");
  writeFileSync(join(folder, "b"), "B");
  const exchange = exchangeCall();
  exchange?.(join(folder, "a"), join(folder, "b"));
  expect(readFileSync(join(folder, "a"), "utf8")).toBe("B");
  expect(() => exchange?.(join(folder, "a"), join(folder, "none"))).toThrow(
    expect.objectContaining({ code: "ENOENT" }),
  );
});

test("replacing hands over what was there, and refuses a link", () => {
  const folder = makeProject();
  const [draft, target] = [join(folder, "draft"), join(folder, "target")];
  for (const [text, before] of [
    ["one", undefined],
    ["two", "one"],
    ["three", "two"],
  ]) {
    writeFileSync(draft, text ?? "");
    const displaced = replace(draft, target);
    expect(displaced?.bytes().toString()).toBe(before);
    displaced?.close();
    expect(readFileSync(target, "utf8")).toBe(text);
    expect(readdirSync(folder)).toEqual(["target"]);
  }
  writeFileSync(draft, "four");
  symlinkSync(target, join(folder, "link"));
  expect(() => replace(draft, join(folder, "link"))).toThrow(
    expect.objectContaining({ code: "ELOOP" }),
  );
  expect(readFileSync(target, "utf8")).toBe("three");
});
