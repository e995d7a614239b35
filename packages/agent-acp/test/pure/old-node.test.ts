import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { acpAgent, commandProfile } from "../../src/index.ts";
import { oldNode } from "../../src/launch/old-node.ts";

/** A package as npm installs it, whose program is on PATH beside a Node that is 22.5.1. */
async function installed(engines: unknown, script = "#!/usr/bin/env node\n") {
  const top = await realpath(await mkdtemp(join(tmpdir(), "ccw-old-node-")));
  const [bin, own] = [join(top, "bin"), join(top, "lib/mine")];
  await mkdir(bin);
  await mkdir(join(own, "dist"), { recursive: true });
  await writeFile(join(own, "package.json"), JSON.stringify({ engines: { node: engines } }));
  await writeFile(join(own, "dist/main.js"), script, { mode: 0o755 });
  await symlink(join(own, "dist/main.js"), join(bin, "mine"));
  await writeFile(join(bin, "node"), "#!/bin/sh\necho v22.5.1\n", { mode: 0o755 });
  return {
    ...{ top, bin, mine: join(bin, "mine") },
    [Symbol.asyncDispose]: () => rm(top, { recursive: true }),
  };
}

const profile = { ...commandProfile("mine", { command: ["mine"] }), title: "Mine" };

test.each([
  [">=22", null],
  [">= 22.5.1", null],
  [">=9", null],
  [">=22.5.2", "22.5.2"],
  [">=22.10", "22.10"],
  [">=24", "24"],
  ["^24 || >=26", null],
  [24, null],
])("a script that wants Node %s, and is started by 22.5.1", async (engines, wanted) => {
  await using it = await installed(engines);
  const said = await oldNode(profile, it.mine, it.bin);
  if (wanted === null) expect(said).toBeNull();
  else
    expect(said).toBe(
      `Mine wants Node ${wanted} or newer, and is started by ${join(it.bin, "node")}, which is 22.5.1: put a newer one first on PATH.`,
    );
});

test("of a program that is no Node script, and where there is no Node, nothing is said", async () => {
  await using native = await installed(">=24", "#!/bin/sh\n");
  expect(await oldNode(profile, native.mine, native.bin)).toBeNull();
  await using it = await installed(">=24");
  expect(await oldNode(profile, it.mine, "/nowhere")).toBeNull();
});

test("a check tells it, also where the agent does not start", async () => {
  await using it = await installed(">=24");
  const env = { HOME: it.top, PATH: `${it.bin}:/usr/bin:/bin` };
  const agent = acpAgent({ profile, env, sandbox: { kind: "off" } });
  expect(await agent.check(it.top)).toMatchObject({
    ok: false,
    problems: [{ code: "agent_unavailable" }],
    notes: [expect.stringContaining("Mine wants Node 24 or newer")],
  });
});
