import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { isInside } from "@ccw-loop/processes/plain-file";
import { works } from "@ccw-loop/testkit";
import { expect, onTestFinished, test, vi } from "vitest";
import { BUBBLEWRAP, sandboxCommand } from "../src/process/sandbox.ts";

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
    const [program = ""] = sandboxCommand({ project, top: project, linked: [] }, []) ?? [];
    expect(isAbsolute(program)).toBe(true);
    expect(isInside(project, program)).toBe(false);
  },
);

test.runIf(works(...BUBBLEWRAP))("a clean room has another name than the machine", async () => {
  const project = await realpath(await mkdtemp(join(tmpdir(), "ccw-sandbox-")));
  onTestFinished(() => rm(project, { recursive: true, force: true }));
  const [program = "", ...words] = sandboxCommand({ project, top: project, linked: [] }, []) ?? [];
  const asked = [...words, process.execPath, "-p", "os.hostname()"];
  expect(spawnSync(program, asked, { encoding: "utf8", cwd: "/" }).stdout.trim()).toBe("localhost");
});
