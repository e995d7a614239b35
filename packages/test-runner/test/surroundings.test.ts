import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { surroundingsSince } from "../src/clean-room/surroundings.ts";

/** A machine of its own: a home, a PATH of one folder, and a project. */
function machine() {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "ccw-loop-surroundings-")));
  const at = (path: string) => join(top, path);
  for (const folder of [
    ...["usr/bin", "usr/lib/python3", "usr/lib/python3.11", "usr/lib/go/bin", "usr/lib/go/src"],
    ...["home/.cargo", "project/node_modules/.bin"],
  ])
    mkdirSync(at(folder), { recursive: true });
  writeFileSync(at("usr/bin/tool"), "");
  writeFileSync(at("usr/bin/python3"), `#!/bin/sh\necho ${at("usr/lib/python3.11")}\n`);
  chmodSync(at("usr/bin/python3"), 0o755);
  writeFileSync(at("usr/lib/go/bin/go"), "");
  symlinkSync(at("usr/lib/go/bin/go"), at("usr/bin/go"));
  return {
    at,
    project: at("project"),
    newer: async (since: Date) => {
      const env = { PATH: at("usr/bin"), HOME: at("home"), CARGO_HOME: at("home/.cargo") };
      return (await surroundingsSince(at("project"), since, env)).newer;
    },
    [Symbol.dispose]: () => rmSync(top, { recursive: true, force: true }),
  };
}

/** A moment behind all that was written up to now, and before what is written next. */
async function nextMoment(): Promise<Date> {
  const moment = new Date(Date.now() + 20);
  await expect.poll(() => Date.now()).toBeGreaterThan(moment.getTime() + 20);
  return moment;
}

test.each([
  ["a program in the PATH", "usr/bin/tool"],
  ["a package for all projects", "usr/lib/python3/pytest.py"],
  ["a library of Python's own", "usr/lib/python3.11/unittest.py"],
  ["a library of Go's own", "usr/lib/go/src/testing.go"],
  ["a setting of a toolchain", "home/.cargo/config.toml"],
])("what is outside of a project is looked at: %s", async (_, path) => {
  using here = machine();
  const before = await nextMoment();
  expect(await here.newer(before)).toEqual([]);
  writeFileSync(here.at(path), "changed");
  // A time that was set back: when the file was changed cannot be set.
  utimesSync(here.at(path), 0, 0);
  expect(await here.newer(before)).toEqual([here.at(path)]);
});

test("what is in the project, and other files of the home, are not among it", async () => {
  using here = machine();
  const before = await nextMoment();
  writeFileSync(here.at("project/node_modules/.bin/tool"), "");
  writeFileSync(here.at("home/notes.txt"), "");
  expect(await here.newer(before)).toEqual([]);
});

test("a folder that was made since is named whole", async () => {
  using here = machine();
  const before = await nextMoment();
  mkdirSync(here.at("usr/lib/python3/added/inner"), { recursive: true });
  for (const name of ["one.py", "inner/two.py"])
    writeFileSync(here.at(`usr/lib/python3/added/${name}`), "");
  expect(await here.newer(before)).toEqual([here.at("usr/lib/python3/added")]);
});

test("a folder that was made since, and holds what is older, is not", async () => {
  using here = machine();
  mkdirSync(here.at("usr/lib/older"));
  writeFileSync(here.at("usr/lib/older/one.py"), "");
  const before = await nextMoment();
  mkdirSync(here.at("usr/lib/python3/added"));
  renameSync(here.at("usr/lib/older"), here.at("usr/lib/python3/added/older"));
  writeFileSync(here.at("usr/lib/python3/added/two.py"), "");
  expect(await here.newer(before)).toEqual([here.at("usr/lib/python3/added/two.py")]);
});
