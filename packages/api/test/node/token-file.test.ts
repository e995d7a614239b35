import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readOrMakeToken, readToken, userTokenFile } from "../../src/node/token-file.ts";

let home: string;
let file: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "ccw-token-"));
  file = join(home, ".config", "ccw-loop", "token");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;
const silent = () => undefined;
const GOOD = "t".repeat(43);

function put(text = GOOD, mode = 0o600): void {
  mkdirSync(join(file, ".."), { recursive: true, mode: 0o700 });
  writeFileSync(file, text);
  chmodSync(file, mode);
}

test("a user's token is with the user's settings", () => {
  expect(userTokenFile({ HOME: "/home/a" })).toBe("/home/a/.config/ccw-loop/token");
  expect(userTokenFile({ HOME: "/home/a", XDG_CONFIG_HOME: "/etc/x" })).toBe(
    "/etc/x/ccw-loop/token",
  );
  expect(userTokenFile({ HOME: "/home/a", XDG_CONFIG_HOME: "x" })).toBe(
    "/home/a/.config/ccw-loop/token",
  );
});

test("the first start makes a token that only its owner may read; later ones find it", async () => {
  const token = await readOrMakeToken(file, silent);
  expect(Buffer.from(token, "base64url")).toHaveLength(32);
  expect(readFileSync(file, "utf8")).toBe(`${token}\n`);
  expect([modeOf(file), modeOf(join(file, ".."))]).toEqual([0o600, 0o700]);
  expect(await readOrMakeToken(file, silent)).toBe(token);
  expect(await readToken(file, silent)).toBe(token);
});

test("of many that start at once every one has the same token, and nothing else is left", async () => {
  const tokens = await Promise.all(Array.from({ length: 20 }, () => readOrMakeToken(file, silent)));
  expect(new Set(tokens).size).toBe(1);
  expect(readdirSync(join(file, ".."))).toEqual(["token"]);
});

test("a process that was killed when it made the token leaves nothing that stands in the way", async () => {
  put();
  linkSync(file, `${file}.0123456789abcdef`);
  expect(await readOrMakeToken(file, silent)).toBe(GOOD);
  expect(readdirSync(join(file, ".."))).toEqual(["token"]);
});

test("what others may read is closed, and said", async () => {
  put(GOOD, 0o644);
  chmodSync(join(file, ".."), 0o755);
  const warnings: string[] = [];
  expect(await readToken(file, (text) => warnings.push(text))).toBe(GOOD);
  expect([modeOf(file), modeOf(join(file, ".."))]).toEqual([0o600, 0o700]);
  expect(warnings).toEqual([expect.stringContaining(`${file} (mode 0644)`)]);
  expect(warnings.join()).not.toContain(GOOD);
});

test.each<[string, () => void]>([
  [
    "is a symbolic link",
    () => {
      put();
      const other = join(home, "other");
      writeFileSync(other, GOOD, { mode: 0o600 });
      rmSync(file);
      symlinkSync(other, file);
    },
  ],
  [
    "is not a file",
    () => {
      mkdirSync(file, { recursive: true, mode: 0o700 });
    },
  ],
  ["can be written by other users", () => put(GOOD, 0o620)],
  [
    "has a second name",
    () => {
      put();
      linkSync(file, join(home, "second"));
    },
  ],
])("a token file that %s is refused", async (why, make) => {
  make();
  const refused = { code: "unsafe_path", message: expect.stringContaining(`${file} ${why}`) };
  await expect(readOrMakeToken(file, silent)).rejects.toMatchObject(refused);
});

test("a dangling link is not followed to where it leads", async () => {
  mkdirSync(join(file, ".."), { recursive: true, mode: 0o700 });
  const target = join(home, "made");
  symlinkSync(target, file);
  await expect(readOrMakeToken(file, silent)).rejects.toMatchObject({ code: "unsafe_path" });
  expect(existsSync(target)).toBe(false);
});

test("a folder that others may write to is refused, and its mode is left alone", async () => {
  const folder = join(home, "shared");
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  await expect(readOrMakeToken(join(folder, "token"), silent)).rejects.toMatchObject({
    code: "unsafe_path",
    message: expect.stringContaining("can be written by other users"),
  });
  expect([readdirSync(folder), modeOf(folder)]).toEqual([[], 0o777]);
});

test.runIf(process.getuid?.() === 0)("a file of another user is refused", async () => {
  put();
  const { chownSync } = await import("node:fs");
  chownSync(file, 65_534, 65_534);
  await expect(readToken(file, silent)).rejects.toMatchObject({
    code: "unsafe_path",
    message: expect.stringContaining("belongs to another user"),
  });
});

test.each(["", "\n", "short", "a b".repeat(20), "é".repeat(40), "x".repeat(513)])(
  "%j is no token",
  async (text) => {
    put(text);
    await expect(readToken(file, silent)).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining(`${file} holds no token`),
    });
  },
);

test("reading never makes one", async () => {
  await expect(readToken(file, silent)).rejects.toMatchObject({ code: "invalid_input" });
  expect(existsSync(file)).toBe(false);
});
