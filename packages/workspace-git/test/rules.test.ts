import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeNote, encodeNote } from "../src/checkpoint/note.ts";
import { branchOf, checkpointRef, refPart } from "../src/checkpoint/refs.ts";
import { modeLike } from "../src/checkpoint/write-files.ts";
import { parsePointer, pointerText } from "../src/measure/lfs.ts";
import { isSecret, skipReason } from "../src/not-kept.ts";
import { rawOf } from "../src/raw-path.ts";
import { place } from "./place.ts";
import { userGit } from "./repository.ts";

test.each([
  ...[".env", ".env.local", ".env.production", "a/.env", ".ENV", ".envrc", ".env.example.local"],
  ...[
    "a.pem",
    "tls/server.KEY",
    "x.p12",
    "x.pfx",
    "x.kdbx",
    "id_rsa",
    "id_rsa.pub",
    "id_ed25519_work",
  ],
  ...[
    ".npmrc",
    "a/.netrc",
    ".pypirc",
    ".git-credentials",
    "credentials.json",
    "credentials-prod.json",
  ],
  ...[
    "service-account.json",
    "service-account-1.json",
    "secrets.yml",
    "secrets.yaml",
    "secrets.toml",
  ],
  ...[".aws/config", "home/.ssh/known_hosts", ".gnupg/x/y"],
])("%s may hold secrets", (path) => {
  expect(isSecret(path)).toBe(true);
});

test.each([
  ...[".env.example", ".env.sample", ".env.local.template", "env", ".environment", "src/env.ts"],
  ...["a.pem.ts", "keys.ts", "key", "identity.ts", "credentials.ts", "secrets.ts", "secrets/a.ts"],
  ...["aws/config", "ssh/x", "npmrc", "service-account.ts"],
])("%s holds no secrets, by its name", (path) => {
  expect(isSecret(path)).toBe(false);
});

test.each([
  [{ tracked: false, readable: true, size: 10n * 1024n * 1024n }, null],
  [{ tracked: false, readable: true, size: 10n * 1024n * 1024n + 1n }, "larger than 10 MB (11 MB)"],
  [{ tracked: true, readable: true, size: 1024n ** 4n }, null],
  [{ tracked: true, readable: false, size: 1n }, "cannot be read"],
  [{ tracked: false, readable: false, size: 1n }, "cannot be read"],
])("a file is left out by what it is: %o, %s", (file, reason) => {
  expect(skipReason("a.txt", file)).toBe(reason);
});

test.each([
  [0o644, "100755", 0o755],
  [0o600, "100755", 0o700],
  [0o755, "100644", 0o644],
  [0o640, "100644", 0o640],
])("rights %o as mode %s are %o", (before, mode, after) => {
  expect(modeLike(before, mode)).toBe(after);
});

describe("the name of a loop in a ref", () => {
  const id = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 });

  test("can be read back, and differs for every loop", () => {
    fc.assert(
      fc.property(id, (text) => {
        expect(decodeURIComponent(refPart(text))).toBe(text);
      }),
    );
  });

  test("is a ref for git", async () => {
    const cwd = await place();
    const odd = [
      "a.lock",
      "A.LOCK",
      ".a",
      "a.",
      "a..b",
      "...",
      "@",
      "@{1}",
      "-",
      "a/b",
      "~^:?*[\\ \x7f",
      "..lock",
    ];
    const sampled = fc.sample(id, { numRuns: 15, seed: 1 });
    for (const text of [...odd, ...sampled]) {
      await userGit(cwd, "check-ref-format", checkpointRef(text, 0));
      await userGit(cwd, "check-ref-format", "--branch", branchOf(text));
    }
  });

  test("is the id itself where that can be", () => {
    expect(checkpointRef("loop-v2-20260101T000000-0a1b2c3d", 7)).toBe(
      "refs/ccw-loop/loop-v2-20260101T000000-0a1b2c3d/7",
    );
  });

  test.each([
    ["", 0, "invalid_id"],
    ["\ud800", 0, "invalid_id"],
    ["loop", -1, "invalid_input"],
    ["loop", 1.5, "invalid_input"],
  ])("is refused for %j and number %d", (text, n, code) => {
    expect(() => checkpointRef(text, n)).toThrow(expect.objectContaining({ code }));
  });
});

test("what a checkpoint says about itself can be read back, whatever its message says", () => {
  const path = fc.string({ unit: "binary", minLength: 1 }).map(rawOf);
  const name = fc.stringMatching(/^[0-9a-f]{40}$/);
  const note = fc.record({
    head: fc.option(name),
    tree: name,
    leftOut: fc.array(path, { maxLength: 5 }),
    lfs: fc.array(path, { maxLength: 5 }),
  });
  const message = fc.oneof(fc.string(), fc.constant("x\n\nCCW-Loop-Tree: y\nCCW-Loop-LFS: no"));
  fc.assert(
    fc.property(message, note, (text, said) => {
      const commit = `tree x\nauthor y\n\n${encodeNote(text, said)}\n`;
      expect(decodeNote(commit)).toEqual(said);
    }),
    { numRuns: 30 },
  );
  expect(decodeNote("tree x\n\nA commit of somebody's\n")).toBeNull();
  expect(decodeNote("tree x\n\n\n")).toBeNull();
});

test("a pointer of git-lfs is known by all it must have", () => {
  const pointer = { oid: "0a".repeat(32), size: 12345 };
  expect(parsePointer(pointerText(pointer))).toEqual(pointer);
  expect(parsePointer("a text")).toBeNull();
  expect(parsePointer(pointerText(pointer).replace("size", "length"))).toBeNull();
  expect(parsePointer(pointerText(pointer) + " ".repeat(1024))).toBeNull();
});
