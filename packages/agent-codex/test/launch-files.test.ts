import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { tempRepo } from "@ccw-loop/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findBinary, installCommand, nativePackage } from "../src/launch/codex-binary.ts";
import { environmentFor } from "../src/launch/environment.ts";
import { untrustedFolders, watchSandboxLeftovers } from "../src/launch/project-folders.ts";

let folder = "";

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "ccw-launch-")));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function program(path: string): Promise<string> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), "#!/bin/sh\n");
  await chmod(join(folder, path), 0o755);
  return join(folder, path);
}

describe("finding the codex program", () => {
  it("takes the option before CODEX_BIN before PATH", async () => {
    const [option, variable, onPath] = [
      await program("a/codex"),
      await program("b/codex"),
      await program("c/codex"),
    ];
    const env = { CODEX_BIN: variable, PATH: `relative:${dirname(onPath)}` };
    expect(await findBinary({ binary: option, env }, folder)).toEqual({
      path: option,
      source: "the binary option",
      shellCommand: option,
    });
    expect(await findBinary({ env }, folder)).toMatchObject({
      path: variable,
      source: "CODEX_BIN",
    });
    const { PATH } = env;
    expect(await findBinary({ env: { PATH } }, folder)).toMatchObject({
      path: onPath,
      source: "PATH",
    });
  });

  it("takes the installed package when there is nothing else", async () => {
    const found = await findBinary({ env: { PATH: folder } }, folder);
    expect(found.source).toBe("@openai/codex");
    expect(found.path).toContain("vendor");
  });

  it("replaces npm's wrapper by the program that it would start", async () => {
    const native = nativePackage(process.platform, process.arch);
    const packages = "lib/node_modules/@openai";
    const wrapper = await program(`${packages}/codex/bin/codex.js`);
    await writeFile(join(folder, packages, "codex/package.json"), '{"name":"@openai/codex"}');
    const platform = join(packages, "codex/node_modules", native?.name ?? "");
    const real = await program(join(platform, native?.program ?? ""));
    await writeFile(join(folder, platform, "package.json"), `{"name":"${native?.name}"}`);
    await mkdir(join(folder, "bin"));
    await symlink(wrapper, join(folder, "bin/codex"));
    const found = await findBinary({ env: { PATH: join(folder, "bin") } }, folder);
    expect(found).toEqual({ path: real, source: "PATH", shellCommand: "codex" });
  });

  it("names what is wrong with a program that was named", async () => {
    await writeFile(join(folder, "no-program"), "text");
    for (const path of [join(folder, "missing"), join(folder, "no-program"), "codex"]) {
      await expect(findBinary({ env: { CODEX_BIN: path } }, folder)).rejects.toMatchObject({
        code: "agent_unavailable",
        message: expect.stringContaining(`CODEX_BIN names ${path}`),
      });
    }
  });
});

describe("the commands that are recommended", () => {
  it("name Codex as it is typed here", async () => {
    const shared = await program("usr/bin/codex");
    const local = await program("shop/node_modules/.bin/codex");
    const typed = async (path: string, cwd: string) => {
      const { shellCommand: word } = await findBinary({ env: { PATH: path } }, join(folder, cwd));
      return word;
    };
    expect(await typed(dirname(shared), "shop/cart")).toBe("codex");
    // As npx has it: the shell behind it does not.
    expect(await typed(`${dirname(local)}:${dirname(shared)}`, "shop/cart")).toBe("npx codex");
    expect(await typed(dirname(local), "elsewhere")).toBe(local);
    expect(await typed("", "shop")).toBe("npx codex");
    expect((await findBinary({ binary: shared }, join(folder, "shop"))).shellCommand).toBe(shared);
  });

  it.each([
    ["shop/node_modules/@ccw-loop/cli/dist/a.js", "npm install --save-dev @openai/codex"],
    ["shop/node_modules/.pnpm/a/node_modules/b/a.js", "pnpm add --save-dev @openai/codex"],
    ["usr/lib/node_modules/@ccw-loop/cli/dist/a.js", "npm install -g @openai/codex"],
    ["clone/packages/cli/src/a.ts", "npm install -g @openai/codex"],
  ])("install it beside %s", (ours, command) => {
    expect(installCommand(join(folder, "shop/cart"), join(folder, ours))).toBe(command);
  });
});

describe("folders whose Codex settings are not loaded", () => {
  it("are all from the project up to the top of its repository", async () => {
    await using repo = await tempRepo({ "a/b/c.txt": "" });
    const deep = join(repo.path, "a/b");
    expect(await untrustedFolders(deep)).toEqual([deep, join(repo.path, "a"), repo.path]);
  });

  it("include the main worktree of a linked one", async () => {
    await using repo = await tempRepo({ "a.txt": "" });
    const linked = join(folder, "linked");
    await repo.git("worktree", "add", "--quiet", linked, "-b", "side");
    expect(await untrustedFolders(linked)).toEqual([linked, repo.path]);
  });

  it("are at least the project itself where there is no repository", async () => {
    expect((await untrustedFolders(folder))[0]).toBe(folder);
    expect(await untrustedFolders("/")).toEqual(["/"]);
  });
});

describe("what a sandbox leaves in the project", () => {
  it("is taken away when it is empty and was not there before", async () => {
    await mkdir(join(folder, ".codex"));
    const leftovers = await watchSandboxLeftovers(folder, false);
    for (const name of [".git", ".agents"]) await mkdir(join(folder, name));
    await mkdir(join(folder, ".aws/used"), { recursive: true });
    await leftovers.remove();
    expect((await readdir(folder)).toSorted()).toEqual([".aws", ".codex"]);
  });

  it("is found again by the next session of the same conversation", async () => {
    for (const name of [".codex", ".agents"]) await mkdir(join(folder, name));
    await writeFile(join(folder, ".agents/mine"), "");
    await (await watchSandboxLeftovers(folder, true)).remove();
    expect(await readdir(folder)).toEqual([".agents"]);
  });
});

it("reads the user's Codex settings for names of variables, without changing them", async () => {
  const config = join(folder, "config.toml");
  await writeFile(config, '[model_providers.a]\nenv_key = "A_KEY"\n');
  const env = { CODEX_HOME: folder, A_KEY: "a", B_KEY: "b", C_KEY: "c" };
  const passed = await environmentFor({ env, passEnv: ["C_KEY"] });
  expect(passed).toEqual({ CODEX_HOME: folder, A_KEY: "a", C_KEY: "c" });
  expect(await readFile(config, "utf8")).toContain("A_KEY");
});
