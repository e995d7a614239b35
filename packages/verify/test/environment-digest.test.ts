import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { environmentDigest } from "../src/process/environment.ts";

const ENV = { PATH: "/usr/bin:/bin", CI: "1", LANG: "C.UTF-8", NODE_OPTIONS: "--no-warnings" };

test.each<[string, Record<string, string>]>([
  ["a variable", { CI: "0" }],
  ["a new variable", { NODE_ENV: "test" }],
  ["the order of the PATH", { PATH: "/bin:/usr/bin" }],
  ["an option of Node", { NODE_OPTIONS: "--no-warnings --import=./mine.js" }],
  ["a setting of npm", { npm_config_ignore_scripts: "true" }],
])("%s makes it another environment", (_, change) => {
  expect(environmentDigest({ ...ENV, ...change })).not.toBe(environmentDigest(ENV));
});

test.each<[string, Record<string, string>]>([
  ["the folder", { PWD: "/shop", OLDPWD: "/", INIT_CWD: "/" }],
  ["temporary folders", { TMPDIR: "/tmp/x", TMP: "/tmp/x", XDG_RUNTIME_DIR: "/run/user/7" }],
  [
    "the person and the terminal",
    { USER: "ann", LOGNAME: "ann", TERM: "dumb", SHLVL: "3", _: "/a" },
  ],
  [
    "what npm tells its scripts",
    { npm_lifecycle_event: "test", npm_package_name: "a", npm_execpath: "/n" },
  ],
  ["our own variables", { CCW_LOOP_REPORT: "/tmp/a", CCW_LOOP_FAMILY: "7" }],
  ["the project's programs", { PATH: `/shop/node_modules/.bin:/shop/.venv/bin:${ENV.PATH}` }],
  [
    "a reporter of ours",
    {
      NODE_OPTIONS: `--no-warnings --test-reporter=file:///a.js --test-reporter-destination=stderr --require=${join(tmpdir(), "a.js")}`,
    },
  ],
])("%s changes nothing", (_, change) => {
  expect(environmentDigest({ ...ENV, ...change })).toBe(environmentDigest(ENV));
});

test("is a SHA-256 that does not depend on the order", () => {
  const reversed = Object.fromEntries(Object.entries(ENV).reverse());
  expect(environmentDigest(ENV)).toMatch(/^[0-9a-f]{64}$/);
  expect(environmentDigest(reversed)).toBe(environmentDigest(ENV));
});
