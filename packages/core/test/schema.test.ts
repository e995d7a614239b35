import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { schemaFiles } from "../scripts/generate-schema.ts";
import { renderTaskLines } from "../src/index.ts";
import { AT, created, developed, initialized, started, state, validated } from "./given.ts";

const files = schemaFiles();
const loop = state(created(), started, initialized("a", "b"), developed("a"), validated(false));

test("the build writes them, and the package publishes them", () => {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  expect(manifest.scripts.build).toContain("node scripts/generate-schema.ts");
  expect(manifest.files).toContain("schema");
  expect(manifest.exports["./schema/*"]).toBe("./schema/*");
  expect(manifest.publishConfig.exports["./schema/*"]).toBe("./schema/*");
});

describe("the schemas say what the code takes", () => {
  const accepts = (name: string, value: unknown) =>
    z.fromJSONSchema(JSON.parse(files[name] ?? "")).safeParse(value).success;
  const example = { loop_id: "a", title: "t", status: "created", created_at: AT, updated_at: AT };

  test.each<[string, string, unknown, boolean]>([
    ["a loop of ours", "loop-state.json", loop, true],
    ["the least a state needs", "loop-state.json", example, true],
    ["an offset", "loop-state.json", { ...example, created_at: "2026-01-22T10:00:00+08:00" }, true],
    ["unknown fields", "loop-state.json", { ...example, mine: 1 }, true],
    ["an unknown status", "loop-state.json", { ...example, status: "odd" }, false],
    ["no title", "loop-state.json", { ...example, title: undefined }, false],
    ["a date that is none", "loop-state.json", { ...example, created_at: "today" }, false],
    ["an event", "loop-event.json", started, true],
    ["an event of no kind", "loop-event.json", { ...started, type: "loop.odd" }, false],
    ["a journal line", "journal-line.json", { revision: 1, actor: "cli", event: started }, true],
    ["no revision", "journal-line.json", { actor: "cli", event: started }, false],
    ["a result", "action-result.json", result("DEBUG"), true],
    ["a result of no action", "action-result.json", result("REFACTOR"), false],
  ])("%s", (_, name, value, ok) => {
    expect(accepts(name, JSON.parse(JSON.stringify(value)))).toBe(ok);
  });

  test("task lines", () => {
    const lines = renderTaskLines(loop).trimEnd().split("\n");
    for (const line of lines) expect(accepts("task-line.json", JSON.parse(line))).toBe(true);
    expect(accepts("task-line.json", { description: "no id" })).toBe(false);
  });
});

function result(action: string) {
  return {
    action,
    status: "success",
    message: "",
    state_updates: {},
    files_updated: ["a"],
  };
}
