/** @module-tag slow */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { processesRunning } from "@ccw-loop/testkit";
import { describe, expect, it } from "vitest";
import { codexAgent } from "../../src/index.ts";
import { realCodex, stage, withCodex } from "../harness.ts";

describe.runIf(withCodex)("opening the real Codex", { timeout: 60_000, concurrent: true }, () => {
  it("a check tells the version and leaves nothing running", async () => {
    await using it = await stage({ script: [] });
    const check = await codexAgent(it.options).check(it.repo.path);
    expect(check).toMatchObject({ version: expect.stringMatching(/^0\.1\d\d\.\d+$/) });
    expect(check.notes[0]).toContain(realCodex());
    expect(processesRunning(`projects={"${it.repo.path}"`)).toEqual([]);
    expect(it.model.requests).toEqual([]);
  });

  it("settings that cannot be read: agent_misconfigured with file and line", async () => {
    await using it = await stage({ script: [] });
    await writeFile(it.home.configFile, "model = = 3\n");
    await expect(it.open()).rejects.toMatchObject({
      code: "agent_misconfigured",
      message: expect.stringContaining("config.toml:1:9"),
    });
    expect(processesRunning(`projects={"${it.repo.path}"`)).toEqual([]);
  });

  it("no login where one is needed: agent_unauthorized before the first turn", async () => {
    await using it = await stage({ script: [] });
    const text = await readFile(it.home.configFile, "utf8");
    await writeFile(it.home.configFile, text.replace(/^model_provider = .*$/m, ""));
    await expect(it.open()).rejects.toMatchObject({
      code: "agent_unauthorized",
      message: expect.stringContaining("codex login"),
    });
  });

  it("a missing key of the model provider: agent_unauthorized", async () => {
    await using it = await stage({ passEnv: [], script: [] });
    const text = await readFile(it.home.configFile, "utf8");
    await writeFile(it.home.configFile, text.replace(/^env_key = .*$/m, 'env_key = "NOT_SET"'));
    const failed = it.run(await it.open(), "work");
    await expect(failed).rejects.toMatchObject({
      code: "agent_unauthorized",
      message: expect.stringContaining("NOT_SET"),
    });
  });

  it("a setting that Codex does not understand: agent_unavailable with its words", async () => {
    await using it = await stage({ script: [] });
    const options = { ...it.options, config: ["model_providers=3"] };
    const failed = codexAgent(options).open({ cwd: it.repo.path, instructions: "" });
    await expect(failed).rejects.toMatchObject({
      code: "agent_unavailable",
      message: expect.stringContaining("invalid type: integer `3`"),
    });
  });

  it("a folder that does not exist, and a CODEX_HOME that does not", async () => {
    await using it = await stage({ script: [] });
    const nowhere = join(it.repo.path, "nowhere");
    await expect(it.open({ cwd: nowhere })).rejects.toMatchObject({ code: "agent_unavailable" });
    const env = { ...it.options.env, CODEX_HOME: nowhere };
    const check = await codexAgent({ ...it.options, env }).check(it.repo.path);
    expect(check.problems).toEqual([
      expect.objectContaining({ message: expect.stringContaining(nowhere) }),
    ]);
  });
});
