import { expect, onTestFinished, test } from "vitest";
import { processes } from "../../src/index.ts";
import { RpcProgram } from "../../src/json-rpc/program.ts";

/** A program that says nothing until its input ends, in a tree that ends its processes in this way. */
function program(end?: () => Promise<number[]>) {
  const tree = processes().processTree();
  const really = tree.end.bind(tree);
  onTestFinished(async () => {
    await really({ graceMs: 0 });
  });
  if (end) tree.end = end;
  return new RpcProgram({
    ...{ tree, name: "It", file: "/bin/cat", args: [], env: {}, cwd: "/" },
    answer: async () => ({ result: null }),
    onNotification: () => undefined,
    onNoise: () => undefined,
  });
}

test("a program whose rest cannot be ended is over all the same, and says so", async () => {
  const it = program(() => Promise.reject(new Error("Too many open files.")));
  const open = it.request("x", null, 60_000);
  process.kill(it.pid ?? 0, "SIGKILL");
  const reason = "It was ended by SIGKILL; what it left could not be ended: Too many open files.";
  expect(await it.exited).toBe(reason);
  expect(await open).toEqual({ lost: reason });
  expect(it.alive).toBe(false);
});

test("a program that does not end is named with its processes", async () => {
  await expect(program(async () => [4711]).kill()).rejects.toMatchObject({
    code: "system_unavailable",
    message: expect.stringContaining("Processes of It do not end: 4711."),
  });
});

test("a program that is killed is over", async () => {
  const it = program();
  await it.kill();
  expect(await it.exited).toBe("It was ended by SIGKILL");
});
