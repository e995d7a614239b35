import { readFile } from "node:fs/promises";
import { applyPatch, message, runCommand } from "@ccw-loop/testkit";
import { describe, expect, it } from "vitest";
import { only, stage, withCodex } from "../harness.ts";

const FIX = `*** Update File: add.mjs
@@
-export const add = (a, b) => a - b;
+export const add = (a, b) => a + b;`;

const SCHEMA = {
  type: "object",
  properties: { status: { type: "string" } },
  required: ["status"],
  additionalProperties: false,
};

describe.runIf(withCodex)("the real Codex at work", { timeout: 60_000, concurrent: true }, () => {
  it("edits, runs commands and answers under an output schema", async () => {
    await using it = await stage({
      script: [
        { items: [message("Looking.", "commentary"), runCommand("node test.mjs")] },
        { items: [applyPatch(FIX)] },
        { items: [runCommand("node test.mjs")] },
        { items: [message('{"status":"done"}', "final_answer")] },
      ],
    });
    const session = await it.open();
    const result = await it.run(session, "fix add", { outputSchema: SCHEMA });

    expect(result).toEqual({
      text: '{"status":"done"}',
      turn_id: expect.stringMatching(/^[\da-f-]{36}$/),
      usage: { input_tokens: 400, cached_input_tokens: 160, output_tokens: 80, total_tokens: 480 },
    });
    expect(await readFile(`${it.repo.path}/add.mjs`, "utf8")).toContain("a + b");
    expect(only(it.events, "command.completed")).toEqual([
      { type: "command.completed", command: "node test.mjs", exit_code: 1 },
      { type: "command.completed", command: "node test.mjs", exit_code: 0 },
    ]);
    expect(only(it.events, "files.changed")).toEqual([
      { type: "files.changed", paths: ["add.mjs"] },
    ]);
    expect(
      only(it.events, "command.output")
        .map((e) => e.text)
        .join(""),
    ).toContain("passed");
    expect(it.model.requests.map(({ body }) => body.text?.format?.schema)).toEqual(
      Array.from({ length: 4 }, () => SCHEMA),
    );
  });

  it("gives the standing instructions and the model to the conversation", async () => {
    await using it = await stage({ script: [{ items: [message("ok")] }] });
    const session = await it.open({ instructions: "Speak like a pirate.", model: "gpt-5.4" });
    await it.run(session, "hello");
    const body = it.model.requests[0]?.body;
    expect(JSON.stringify(body)).toContain("Speak like a pirate.");
    expect(body?.model).toBe("gpt-5.4");
  });

  it("returns an answer that breaks the schema as it is, and hears a repair prompt", async () => {
    await using it = await stage({
      script: [
        { items: [message("All good, I am done!")] },
        { items: [message('{"status":"done"}')] },
      ],
    });
    const session = await it.open();
    const broken = await it.run(session, "do it", { outputSchema: SCHEMA });
    const repaired = await it.run(session, "Say that as JSON.", { outputSchema: SCHEMA });
    expect([broken.text, repaired.text]).toEqual(["All good, I am done!", '{"status":"done"}']);
  });

  it("never takes what was said on the way for the result", async () => {
    await using it = await stage({
      script: [{ items: [message('{"status":"in_progress"}', "commentary")] }],
    });
    const result = await it.run(await it.open(), "do it", { outputSchema: SCHEMA });
    expect(result.text).toBe("");
  });

  it("reads protocol lines of more than two megabytes", async () => {
    await using it = await stage({
      script: [
        { items: [runCommand("yes '' | head -c 1100000")] },
        { items: [message("that was long")] },
      ],
    });
    const result = await it.run(await it.open(), "be noisy");
    expect(result.text).toBe("that was long");
    expect(only(it.events, "command.completed")).toHaveLength(1);
  });

  it("says how long a prompt may be", async () => {
    await using it = await stage({ script: [] });
    const session = await it.open();
    const failed = it.run(session, "x".repeat(1_100_000));
    await expect(failed).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("1048576"),
    });
  });
});
