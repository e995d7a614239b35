import { execFile } from "node:child_process";
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  realpath,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { gitWorkspace } from "../src/index.ts";
import { fill, place } from "./place.ts";
import { repositoryWith } from "./repository.ts";

const run = promisify(execFile);

/** A checkout of a project with these files, most of them ignored. */
async function checkedOut(
  files: Record<string, string>,
  prepare: (cwd: string) => Promise<unknown>,
) {
  const cwd = await realpath(await repositoryWith({ "a.txt": "a" }));
  await fill(cwd, { ".gitignore": "node_modules\n.venv/\n/vendor\n", ...files });
  await prepare(cwd);
  const workspace = gitWorkspace(cwd);
  const { commit } = await workspace.checkpoint("loop", 0, "Start");
  const { cwd: copy } = await workspace.checkout(
    commit,
    join(await realpath(await place()), "copy"),
  );
  return { cwd, copy };
}

test("node_modules of several packages resolve to the copy's own packages", async () => {
  const { cwd, copy } = await checkedOut(
    {
      "package.json": '{"type":"module"}',
      "packages/one/package.json": '{"name":"@p/one","type":"module","exports":"./index.js"}',
      "packages/one/index.js": 'export default "one of the project";',
      "packages/two/test.js":
        'import one from "@p/one"; import dep from "dep"; console.log(one, dep);',
      "node_modules/.pnpm/dep@1/node_modules/dep/package.json":
        '{"name":"dep","type":"module","exports":"./index.js"}',
      "node_modules/.pnpm/dep@1/node_modules/dep/index.js": 'export default "dep";',
      "node_modules/.bin/tool": '#!/bin/sh\nls "$(dirname "$0")/.."\n',
      "node_modules/.modules.yaml": "",
    },
    async (cwd) => {
      const modules = join(cwd, "packages/two/node_modules");
      await mkdir(join(modules, "@p"), { recursive: true });
      await symlink("../../../one", join(modules, "@p/one"));
      await symlink("../../../node_modules/.pnpm/dep@1/node_modules/dep", join(modules, "dep"));
      await symlink(join(cwd, "packages/one"), join(cwd, "node_modules/absolute"));
      await symlink("../nothing", join(cwd, "node_modules/broken"));
      await chmod(join(cwd, "node_modules/.bin/tool"), 0o755);
    },
  );
  await fill(copy, { "packages/one/index.js": 'export default "one of the copy";' });
  const { stdout } = await run(process.execPath, ["packages/two/test.js"], { cwd: copy });
  expect(stdout).toBe("one of the copy dep\n");
  const tool = await run(join(copy, "node_modules/.bin/tool"));
  expect(tool.stdout.split("\n")).toContain("absolute");
  expect(await realpath(join(copy, "node_modules/absolute"))).toBe(join(copy, "packages/one"));
  expect((await lstat(join(copy, "node_modules"))).isDirectory()).toBe(true);
  expect(await realpath(join(copy, "node_modules/.modules.yaml"))).toBe(
    join(cwd, "node_modules/.modules.yaml"),
  );
});

test("a virtual environment leads to the copy, and not to the project", async () => {
  const site = ".venv/lib/python3.11/site-packages";
  const { cwd, copy } = await checkedOut({ [`${site}/dep/__init__.py`]: "" }, (cwd) =>
    fill(cwd, {
      ".venv/pyvenv.cfg": "home = /usr/bin\n",
      ".venv/bin/pytest": `#!${cwd}/.venv/bin/python\n`,
      ".venv/bin/other": `#!${cwd}-2/.venv/bin/python\n`,
      [`${site}/__editable__.project.pth`]: `${cwd}/src\n`,
      [`${site}/x.egg-link`]: `${cwd}\n.`,
      [`${site}/__pycache__/x.pyc`]: cwd,
    }),
  );
  const read = (path: string) => readFile(join(copy, path), "utf8");
  expect(await read(".venv/bin/pytest")).toBe(`#!${copy}/.venv/bin/python\n`);
  expect(await read(".venv/bin/other")).toBe(`#!${cwd}-2/.venv/bin/python\n`);
  expect(await read(`${site}/__editable__.project.pth`)).toBe(`${copy}/src\n`);
  expect(await read(`${site}/x.egg-link`)).toBe(`${copy}\n.`);
  expect(await realpath(join(copy, site, "dep"))).toBe(join(cwd, site, "dep"));
});

test("Composer's own files are copies: they ask where they are", async () => {
  const { cwd, copy } = await checkedOut(
    {
      "vendor/autoload.php": "<?php",
      "vendor/composer/autoload_static.php": "<?php",
      "vendor/bin/phpunit": "<?php",
      "vendor/acme/lib/src/A.php": "<?php",
    },
    async () => undefined,
  );
  for (const path of ["autoload.php", "composer/autoload_static.php", "bin/phpunit"]) {
    expect((await lstat(join(copy, "vendor", path))).isFile()).toBe(true);
  }
  expect(await realpath(join(copy, "vendor/acme/lib"))).toBe(join(cwd, "vendor/acme/lib"));
});

test("lends no deeper than four folders, and nothing that is not ignored", async () => {
  const { copy } = await checkedOut(
    {
      "1/2/3/4/node_modules/x.js": "x",
      "1/2/3/4/5/node_modules/x.js": "x",
      "sub/vendor/kept.txt": "not ignored: a file like any other",
      "venv/kept.txt": "not ignored either",
    },
    async () => undefined,
  );
  expect(await readdir(join(copy, "1/2/3/4/node_modules"))).toEqual(["x.js"]);
  await expect(readdir(join(copy, "1/2/3/4/5"))).rejects.toThrow();
  for (const path of ["sub/vendor/kept.txt", "venv/kept.txt"]) {
    expect((await lstat(join(copy, path))).isFile()).toBe(true);
  }
});

test("lends what lies elsewhere, too", async () => {
  const elsewhere = await realpath(await place({ "dep/index.js": "dep" }));
  await symlink("dep", join(elsewhere, "alias"));
  const { copy } = await checkedOut({}, (cwd) => symlink(elsewhere, join(cwd, "node_modules")));
  expect((await lstat(join(copy, "node_modules"))).isDirectory()).toBe(true);
  expect(await realpath(join(copy, "node_modules/alias"))).toBe(join(elsewhere, "dep"));
  await writeFile(join(copy, "node_modules/new"), "");
  expect(await readdir(elsewhere)).toEqual(["alias", "dep"]);
});

test("a real virtual environment runs from the copy, and finds the copy's package", async ({
  skip,
}) => {
  const python = await run("python3", ["-c", "import venv, ensurepip"]).catch(() => null);
  if (python === null) return skip("python3 with venv is not installed.");
  const { copy } = await checkedOut({ "src/project.py": "where = __file__\n" }, async (cwd) => {
    await run("python3", ["-m", "venv", "--without-pip", ".venv"], { cwd });
    const [version = ""] = await readdir(join(cwd, ".venv/lib"));
    await fill(cwd, { [`.venv/lib/${version}/site-packages/project.pth`]: `${cwd}/src\n` });
  });
  const show = "import sys, project; print(sys.prefix, project.where)";
  const { stdout } = await run(join(copy, ".venv/bin/python"), ["-c", show]);
  expect(stdout).toBe(`${copy}/.venv ${copy}/src/project.py\n`);
});
