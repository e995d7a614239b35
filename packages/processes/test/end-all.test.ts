import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { startOf } from "../src/identity.ts";
import { terminateAll } from "../src/terminate.ts";

const NOT_NOW = Object.assign(new Error("too many open files"), { code: "EMFILE" });

test("a look that fails is no empty one: it is looked again, and what is there then ends", async () => {
  const child = spawn("sleep", ["600"], { stdio: "ignore" });
  await once(child, "spawn");
  const pid = child.pid ?? 0;
  let looks = 0;
  const look = () => {
    looks += 1;
    if (looks <= 3) throw NOT_NOW;
    return { living: startOf(pid) === null ? [] : [pid], groups: [], starting: false };
  };
  expect(await terminateAll(look, { graceMs: 0 })).toEqual([]);
  expect(startOf(pid)).toBeNull();
});

test("a look that always fails is told, not taken for nothing", async () => {
  const look = () => {
    throw NOT_NOW;
  };
  await expect(terminateAll(look, { graceMs: -4950 })).rejects.toBe(NOT_NOW);
});
