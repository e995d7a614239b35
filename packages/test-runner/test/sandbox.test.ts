import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { isInside } from "@ccw-loop/processes/plain-file";
import { works } from "@ccw-loop/testkit";
import { expect, onTestFinished, test, vi } from "vitest";
import { OTHER_USER } from "../src/clean-room/account.ts";
import { BUBBLEWRAP, sandboxCommand } from "../src/clean-room/sandbox.ts";

test.runIf(works(...BUBBLEWRAP))(
  "a clean room is no affair of a program of the project",
  async () => {
    const project = await realpath(await mkdtemp(join(tmpdir(), "ccw-sandbox-")));
    onTestFinished(() => rm(project, { recursive: true, force: true }));
    onTestFinished(() => void vi.unstubAllEnvs());
    const programs = join(project, "node_modules/.bin");
    await mkdir(programs, { recursive: true });
    await writeFile(join(programs, "bwrap"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    vi.stubEnv("PATH", [programs, process.env.PATH].join(delimiter));
    const [program = ""] =
      sandboxCommand({ project, top: project, linked: [] }, { hidden: [] }) ?? [];
    expect(isAbsolute(program)).toBe(true);
    expect(isInside(project, program)).toBe(false);
  },
);

/** What a program of Node says in a clean room. */
async function saidInRoom(expression: string): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "ccw-sandbox-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [project, top] = [join(folder, "project"), join(folder, "room/work")];
  for (const path of [project, top]) await mkdir(path, { recursive: true });
  const [program = "", ...words] =
    sandboxCommand({ project, top, linked: [] }, { hidden: [] }) ?? [];
  const asked = [...words, process.execPath, "-p", expression];
  return spawnSync(program, asked, { encoding: "utf8", cwd: top }).stdout.trim();
}

test.runIf(works(...BUBBLEWRAP))("a clean room has another name than the machine", async () => {
  expect(await saidInRoom("os.hostname()")).toBe("localhost");
});

test.runIf(works("bwrap", ...OTHER_USER, "--dev-bind", "/", "/", "true"))(
  "another user than the operator runs programs in a clean room",
  async () => {
    vi.stubEnv("USER", userInfo().username);
    onTestFinished(() => void vi.unstubAllEnvs());
    const said = await saidInRoom(
      "[process.getuid(), os.userInfo().username, process.env.USER].join()",
    );
    expect(said).toMatch(/^\d+,user,user$/);
    expect(said).not.toBe(`${process.getuid?.()},user,user`);
  },
);

test.runIf(works(...BUBBLEWRAP))("whose files are the operator's", async () => {
  const said = await saidInRoom(
    'fs.writeFileSync("own", ""), fs.statSync("own").uid === process.getuid()',
  );
  expect(said).toBe("true");
});
