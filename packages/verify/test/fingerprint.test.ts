import { appendFile, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fingerprints } from "../src/fingerprint/index.ts";
import { environmentOf, install, projectWith, write } from "./installed.ts";
import { project } from "./project.ts";

const of = (dir: string, command = "npm test") => fingerprints([command], dir, environmentOf(dir));

/** Names whose fingerprint is another one after `change`, or that only one side has. */
async function changedBy(dir: string, command: string, change: () => Promise<unknown>) {
  const before = await of(dir, command);
  await change();
  const after = await of(dir, command);
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => before[name] !== after[name]).sort();
}

const inModules = (dir: string, path: string) => join(dir, "node_modules", path);

test("names everything that a script starts", async () => {
  const dir = await projectWith("vitest");
  await install(dir, "@vitest/expect");
  await install(dir, "chai");
  const found = await of(dir);
  expect(Object.keys(found)).toEqual(
    expect.arrayContaining([
      "@vitest/expect package",
      "chai package",
      "node",
      "npm",
      "shadowed programs",
      "true",
      "vitest",
      "vitest package",
    ]),
  );
  for (const digest of Object.values(found)) expect(digest).toMatch(/^[0-9a-f]{64}$/);
});

test.each<[string, (dir: string) => Promise<unknown>, string[]]>([
  [
    "patches the runner",
    (dir) => appendFile(inModules(dir, "vitest/dist/index.js"), "x"),
    ["vitest package"],
  ],
  [
    "removes a part of it",
    (dir) => rm(inModules(dir, "vitest/dist/expect.js")),
    ["vitest package"],
  ],
  [
    "moves a part of it",
    (dir) => rename(inModules(dir, "vitest/dist/expect.js"), inModules(dir, "vitest/dist/a.js")),
    ["vitest package"],
  ],
  [
    "patches its program",
    (dir) => appendFile(inModules(dir, "vitest/cli.mjs"), "x"),
    ["vitest", "vitest package"],
  ],
  [
    "patches its assertions",
    (dir) => appendFile(inModules(dir, "chai/cli.mjs"), "x"),
    ["chai package"],
  ],
  [
    "replaces its program by another one",
    async (dir) => {
      await rm(inModules(dir, ".bin/vitest"));
      await write(dir, { "node_modules/.bin/vitest": "#!/bin/sh\nexit 0\n" });
    },
    ["sh", "vitest"],
  ],
  [
    "hides node by a program of its own",
    (dir) => write(dir, { "node_modules/.bin/node": "#!/bin/sh\nexit 0\n" }),
    ["node", "shadowed programs"],
  ],
  [
    "hides a program that no command names",
    (dir) => write(dir, { "node_modules/.bin/sh": "#!/bin/bash\nexit 0\n" }),
    ["shadowed programs"],
  ],
  ["installs another package", (dir) => install(dir, "left-pad", { "index.js": "pad();" }), []],
  [
    "installs a package of the runner's own",
    (dir) => install(join(dir, "node_modules", "vitest"), "left-pad"),
    [],
  ],
  [
    "changes a script to another runner",
    (dir) => writeFile(join(dir, "package.json"), '{"scripts":{"test":"true"}}'),
    ["chai package", "vitest", "vitest package"],
  ],
  ["does nothing", async () => {}, []],
])("an agent that %s", async (_, change, changed) => {
  const dir = await projectWith("vitest");
  await install(dir, "chai");
  expect(await changedBy(dir, "npm test", () => change(dir))).toEqual(changed);
});

test("notices a patch that keeps size and time", async () => {
  const dir = await projectWith("vitest");
  const file = inModules(dir, "vitest/dist/index.js");
  await utimes(file, 1, 1);
  const patch = async () => {
    await writeFile(file, "RUN();\n");
    await utimes(file, 1, 1);
  };
  expect(await changedBy(dir, "npm test", patch)).toEqual(["vitest package"]);
});

test("a checkout elsewhere that borrows the packages has the same fingerprints", async () => {
  const dir = await projectWith("vitest");
  await write(dir, { "node_modules/.bin/node": "#!/bin/sh\n" });
  const other = await project({
    "package.json": '{"scripts":{"test":"vitest run","pretest":"true"}}',
  });
  await symlink(join(dir, "node_modules"), join(other, "node_modules"));
  expect(await of(other)).toEqual(await of(dir));
});

const STARTER = (place: string) => `#!/bin/sh
basedir=$(dirname "$0")
export NODE_PATH="/home/dev/shop/node_modules/.pnpm/${place}/node_modules"
exec node "$basedir/../.pnpm/${place}/node_modules/vitest/cli.mjs" "$@"
`;

/** vitest as pnpm installs it, in a folder that is named after what it is used with. */
async function stored(dir: string, place: string, extra = ""): Promise<void> {
  const folder = `node_modules/.pnpm/${place}/node_modules/vitest`;
  await write(dir, {
    [`${folder}/package.json`]: '{"name":"vitest","version":"4.1.0"}',
    [`${folder}/cli.mjs`]: "run();\n",
    "node_modules/.bin/vitest": STARTER(place) + extra,
  });
  await rm(inModules(dir, "vitest"), { force: true });
  await symlink(join(dir, folder), inModules(dir, "vitest"));
}

test.each<[string, (dir: string) => Promise<unknown>, string[]]>([
  ["uses it with another neighbour", (dir) => stored(dir, "vitest@4.1.0_jsdom@1.0.0"), []],
  ["puts a line into it", (dir) => stored(dir, "vitest@4.1.0", "exit 0\n"), ["vitest"]],
  [
    "leads it to a package that is not the installed one",
    (dir) =>
      write(dir, {
        "node_modules/.bin/vitest": STARTER("vitest@4.1.0_mine"),
        "node_modules/.pnpm/vitest@4.1.0_mine/node_modules/vitest/cli.mjs": "run();\n",
      }),
    ["vitest"],
  ],
  [
    "patches what it leads to",
    (dir) => write(dir, { "node_modules/vitest/cli.mjs": "" }),
    ["vitest", "vitest package"],
  ],
])("an agent that has pnpm's starter and %s", async (_, change, changed) => {
  const dir = await project({ "package.json": "{}" });
  await stored(dir, "vitest@4.1.0");
  expect(await changedBy(dir, "vitest run", () => change(dir))).toEqual(changed);
});

test.each([
  ["npx vitest", "vitest package"],
  ["node ./node_modules/vitest/cli.mjs run", "vitest package"],
  ["cd web && npm test", "jest package"],
])("finds the package behind %s", async (command, name) => {
  const dir = await projectWith("vitest");
  await write(dir, { "web/package.json": '{"scripts":{"test":"jest"}}' });
  await install(join(dir, "web"), "jest");
  expect(Object.keys(await of(dir, command))).toContain(name);
});

test("takes no project for a runner because it has the runner's name", async () => {
  const dir = await project({
    "package.json": '{"name":"vitest","scripts":{"test":"node cli.mjs"}}',
  });
  await write(dir, { "node_modules/.bin/vitest": "#!/usr/bin/env node\n" });
  expect(Object.keys(await of(dir, "vitest run"))).not.toContain("vitest package");
});

test("says nothing about programs that are not there", async () => {
  const dir = await project({});
  expect(Object.keys(await of(dir, "no-such-runner-here --all && ./gone.sh"))).toEqual([
    "shadowed programs",
  ]);
});
