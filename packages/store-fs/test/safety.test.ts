import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { isLoopError } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { fsStore } from "../src/index.ts";
import { BY, codeOf, initialized, loopFile, newLoop, noted, started } from "./loops.ts";
import { makeProject } from "./project.ts";

const modeOf = (path: string) => statSync(path).mode & 0o777;

/** Every path below the loops' folder with its mode. */
function modesBelow(folder: string): [string, number][] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => [
    name,
    modeOf(join(folder, name)),
  ]);
}

async function begin() {
  const root = makeProject();
  const store = fsStore({ root });
  await store.create(newLoop("a"), BY);
  await store.append("a", 1, [started, initialized("task-1")], BY);
  await store.claim("a", "me", 1000);
  await store.appendLog("a", [{ n: 1 }]);
  await store.close();
  return root;
}

/** The code and the path of the refusal. */
async function refusal(work: Promise<unknown>): Promise<[string, unknown]> {
  const error: unknown = await work.catch((caught: unknown) => caught);
  if (!isLoopError(error)) throw new Error(`Not refused: ${String(error)}`);
  expect(error.message).toContain(String(error.details.path));
  return [error.code, error.details.path];
}

describe("modes", () => {
  test("nobody else can read or enter anything", async () => {
    const root = await begin();
    const modes = modesBelow(loopFile(root, ""));
    expect(modes.length).toBeGreaterThan(12);
    for (const [name, mode] of modes) expect([name, mode & 0o077]).toEqual([name, 0]);
    expect(modeOf(loopFile(root, ""))).toBe(0o700);
    expect(modeOf(loopFile(root, "a.json"))).toBe(0o600);
  });

  test("what was opened is closed again", async () => {
    const root = await begin();
    for (const name of ["", "a.history", "a.progress"]) chmodSync(loopFile(root, name), 0o755);
    for (const name of ["a.json", "a.journal.jsonl"]) chmodSync(loopFile(root, name), 0o644);
    const store = fsStore({ root });
    await store.read("a");
    await store.close();
    for (const [name, mode] of modesBelow(loopFile(root, "")))
      expect([name, mode & 0o077]).toEqual([name, 0]);
    expect(modeOf(loopFile(root, ""))).toBe(0o700);
  });

  test("the user's repository is told to ignore us, and its own file is left alone", async () => {
    const root = makeProject();
    mkdirSync(loopFile(root, ""), { recursive: true });
    writeFileSync(loopFile(root, ".gitignore"), "mine\n");
    const store = fsStore({ root });
    await store.create(newLoop("a"), BY);
    await store.close();
    expect(readFileSync(loopFile(root, ".gitignore"), "utf8")).toBe("mine\n");
  });
});

describe("a path that leads elsewhere is refused and named", () => {
  /** Moves something away and puts a link to it in its place. */
  function replaceByLink(path: string): string {
    renameSync(path, `${path}.elsewhere`);
    symlinkSync(`${path}.elsewhere`, path);
    return path;
  }

  test.each([
    ".workflow",
    ".workflow/.loop",
    ".workflow/.loop/a.json",
    ".workflow/.loop/a.journal.jsonl",
    ".workflow/.loop/a.tasks.jsonl",
    ".workflow/.loop/a.history",
    ".workflow/.loop/a.progress",
  ])("%s", async (name) => {
    const root = await begin();
    const path = replaceByLink(join(root, name));
    const store = fsStore({ root });
    expect(await refusal(store.read("a"))).toEqual(["unsafe_path", path]);
    expect(await refusal(store.append("a", 2, [noted("x")], BY))).toEqual(["unsafe_path", path]);
    expect(await codeOf(store.create(newLoop("a"), BY))).toBe("unsafe_path");
    await store.close();
  });

  test.each([".workflow", ".workflow/.loop"])(
    "%s, also when it is swapped under an open store",
    async (name) => {
      const root = await begin();
      const store = fsStore({ root });
      await store.read("a");
      const path = replaceByLink(join(root, name));
      expect(await refusal(store.read("a"))).toEqual(["unsafe_path", path]);
      expect(await refusal(store.list())).toEqual(["unsafe_path", path]);
      await store.close();
    },
  );

  test("a loop's document, also when it is swapped under an open store", async () => {
    const root = await begin();
    const store = fsStore({ root });
    await store.read("a");
    const path = replaceByLink(loopFile(root, "a.json"));
    expect(await refusal(store.read("a"))).toEqual(["unsafe_path", path]);
    await store.close();
  });

  test("a progress folder that is made a link is not written through", async () => {
    const root = makeProject();
    const outside = makeProject();
    const store = fsStore({ root });
    await store.create(newLoop("a"), BY);
    symlinkSync(outside, loopFile(root, "a.progress"));
    await store.append("a", 1, [started, initialized("task-1")], BY);
    await store.appendLog("a", [{ n: 1 }]);
    await store.close();
    expect(readdirSync(outside)).toEqual([]);
  });

  test("a log that is a link is not followed", async () => {
    const root = await begin();
    const outside = join(makeProject(), "victim");
    writeFileSync(outside, "precious");
    renameSync(loopFile(root, "a.progress/agent.log"), loopFile(root, "moved"));
    symlinkSync(outside, loopFile(root, "a.progress/agent.log"));
    const warnings: string[] = [];
    const store = fsStore({ root, onWarning: ({ message }) => warnings.push(message) });
    await store.appendLog("a", [{ n: 1 }]);
    await store.close();
    expect(readFileSync(outside, "utf8")).toBe("precious");
    expect(warnings.join()).toContain("agent.log");
  });

  test("a named pipe in place of a document does not hang the reader", async () => {
    const root = await begin();
    execFileSync("mkfifo", [loopFile(root, "b.json")]);
    const store = fsStore({ root });
    expect(await codeOf(store.read("b"))).toBe("store_corrupt");
    expect((await store.list()).damaged.map(({ id }) => id)).toEqual(["b"]);
    await store.close();
  });
});

describe("a folder that is not ours alone", () => {
  test("is refused when everybody may write to it", async () => {
    const root = await begin();
    chmodSync(join(root, ".workflow"), 0o777);
    const store = fsStore({ root });
    expect(await refusal(store.read("a"))).toEqual(["unsafe_path", join(root, ".workflow")]);
    expect(await codeOf(store.create(newLoop("b"), BY))).toBe("unsafe_path");
    await store.close();
  });

  const root = process.getuid?.() === 0;
  test.runIf(root)(
    "is refused when another user owns it, but not when the project is his",
    async () => {
      const folder = await begin();
      const store = fsStore({ root: folder });
      chownSync(join(folder, ".workflow"), 12345, 12345);
      expect(await refusal(store.read("a"))).toEqual(["unsafe_path", join(folder, ".workflow")]);
      for (const path of [folder, join(folder, ".workflow/.loop")]) chownSync(path, 12345, 12345);
      expect((await store.read("a")).revision).toBe(2);
      await store.close();
    },
  );
});

describe("ids", () => {
  test.each([
    "..",
    "a/../../b",
    "%2e%2e%2fb",
    "a%00",
    "a\0b",
    "C:\\x",
    "/abs",
    "nul",
    "com1.json",
    "a.",
    ".hidden",
    "a b",
    "ａ",
    "x".repeat(129),
    "x".repeat(10_000),
  ])("%j touches no file", async (id) => {
    const root = makeProject();
    const store = fsStore({ root });
    expect(await codeOf(store.create({ ...newLoop("a"), loop_id: id }, BY))).toBe("invalid_id");
    expect(await codeOf(store.read(id))).toBe("invalid_id");
    expect(await codeOf(store.remove(id))).toBe("invalid_id");
    await store.close();
    expect(readdirSync(root)).toEqual([]);
  });

  test("one that begins or ends like a part of another loop keeps its own files", async () => {
    const root = makeProject();
    const store = fsStore({ root });
    const ids = ["a", "a.json", "a.json.rejected-1", "a.history", "a.progress", "a.tasks", "A"];
    for (const id of ids) await store.create(newLoop(id, { notes: id }), BY);
    await store.remove("a");
    for (const id of ids.slice(1)) expect((await store.read(id)).state.notes).toBe(id);
    expect((await store.list()).total).toBe(ids.length - 1);
    await store.close();
  });
});

test("text that tries to change prototypes is kept and harmless", async () => {
  const root = makeProject();
  const store = fsStore({ root });
  await store.create(newLoop("a"), BY);
  const path = loopFile(root, "a.json");
  const text = readFileSync(path, "utf8").replace(
    "{",
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"lone":"\\ud800",',
  );
  writeFileSync(path, text);
  const { state } = await store.read("a");
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  expect(state).toMatchObject({ lone: "\ud800", title: "Title of a" });
  await store.close();
});
