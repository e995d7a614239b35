import { describe, expect, test } from "vitest";
import { LoopError, systemFailure, systemShortage, toLoopError } from "../src/index.ts";

/** What the system calls of node:fs and node:child_process throw. */
function refusal(code: string, syscall: string, path?: string): Error {
  const where = path === undefined ? "" : ` '${path}'`;
  const named = path === undefined ? {} : { path };
  return Object.assign(new Error(`${code}: as the system has it, ${syscall}${where}`), {
    code,
    syscall,
    ...named,
  });
}

const CODES = [
  ...["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "EMFILE", "ENFILE", "EAGAIN", "ENOMEM"],
  ...["EIO", "ENOENT", "ENOTDIR", "EISDIR", "ETXTBSY", "ELOOP"],
];
const SHORTAGES = ["ENOSPC", "EDQUOT", "EMFILE", "ENFILE", "EAGAIN", "ENOMEM", "EIO"];

describe("what the system refuses", () => {
  const calls: [syscall: string, path: string | undefined][] = [
    ["open", "/project/a.json"],
    ["write", undefined],
    ["spawn git", undefined],
    ["spawnSync git", "git"],
  ];

  test.each(calls.flatMap((call) => CODES.map((code) => [code, ...call] as const)))(
    "%s of %s on %s is told as the system has it, with the next step",
    (code, syscall, path) => {
      const error = refusal(code, syscall, path);
      const failure = toLoopError(error);
      expect(failure).toMatchObject({
        code: "system_unavailable",
        cause: error,
        details: { code, syscall, path: path ?? null },
      });
      expect(failure.message.startsWith(`${error.message}. `)).toBe(true);
      const why = failure.message.slice(error.message.length + 2);
      // What is the matter, and what to do about it.
      expect(why).toMatch(/^[A-Z][^.]+\. [A-Z][^.]+\.$/);
      expect(failure.message).not.toContain("undefined");
      expect(systemFailure(error)).toMatchObject({ message: failure.message });
    },
  );

  test("is known from Node's loader, which names no system call", () => {
    const error = new Error("Cannot read package config /a/package.json: too many open files.");
    expect(toLoopError(error)).toMatchObject({
      code: "system_unavailable",
      message: expect.stringMatching(/^Cannot read .*ulimit -n/),
      details: { code: "EMFILE" },
    });
  });

  test("is the folder that the program was started in", () => {
    expect(toLoopError(refusal("ENOENT", "uv_cwd"))).toMatchObject({
      code: "system_unavailable",
      message: "The folder that this was called in is gone. Change to another one, then try again.",
    });
  });
});

test.each(CODES)("%s is a shortage only where the system lacks something", (code) => {
  const error = refusal(code, "open", "/a");
  const expected = SHORTAGES.includes(code)
    ? { code: "system_unavailable", details: { code } }
    : undefined;
  for (const one of [error, systemFailure(error)]) {
    if (expected) expect(systemShortage(one)).toMatchObject(expected);
    else expect(systemShortage(one)).toBeUndefined();
  }
});

test("a shortage that is a LoopError already stays the same object", () => {
  const failure = toLoopError(refusal("EMFILE", "open", "/a"));
  expect(systemShortage(failure)).toBe(failure);
  expect(toLoopError(failure)).toBe(failure);
});

describe("a defect of ours stays internal", () => {
  test.each([
    ["a call that makes no sense", refusal("EBADF", "read")],
    ["an argument that makes no sense", refusal("EINVAL", "open", "/a")],
    ["an address that makes no sense", refusal("EFAULT", "write")],
    ["an error of Node", Object.assign(new TypeError("wrong"), { code: "ERR_INVALID_ARG_TYPE" })],
    ["one with a code alone", Object.assign(new Error("made up"), { code: "ENOENT" })],
    ["one without any code", new TypeError("x is not a function")],
    ["what is no error at all", "a text"],
    ["nothing", undefined],
  ])("%s", (_, thrown) => {
    expect(systemFailure(thrown)).toBeUndefined();
    expect(systemShortage(thrown)).toBeUndefined();
    const error = toLoopError(thrown);
    expect([error.code, error.cause]).toEqual(["internal", thrown]);
  });
});

test("any other LoopError passes as it is", () => {
  const busy = new LoopError("loop_busy", "Somebody drives it.", { details: { code: "EMFILE" } });
  expect(toLoopError(busy)).toBe(busy);
  expect(systemFailure(busy)).toBeUndefined();
  expect(systemShortage(busy)).toBeUndefined();
});
