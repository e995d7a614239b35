/** @module-tag slow */
import { readdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plan, project, stateOf, write } from "../support/project.ts";

test("a loop whose state file and newest commit are damaged is recovered as told, and driven on", async () => {
  await using here = await project(plan, write("42"));
  const flags = ["--loop-id", "a", "--create", "--auto", "--max-iterations", "1"];
  expect((await here.cli("run", "find it", ...flags, ...here.flags)).code).toBe(3);
  const before = await stateOf(here, "a");

  const folder = join(here.dir, ".workflow/.loop");
  const commits = readdirSync(join(folder, "a.history")).filter((name) => /^\d+\.json$/.test(name));
  truncateSync(join(folder, "a.history", commits.sort().at(-1) ?? ""), 100);
  writeFileSync(join(folder, "a.json"), '{"half of');

  const shown = await here.cli("show", "a");
  expect(shown.code).toBe(5);
  const command = /ccw-loop (recover a)/.exec(shown.err)?.[1]?.split(" ") ?? [];
  const asked = await here.cli(...command);
  expect(asked.out).toContain("rebuilt exactly from the journal");
  expect((await here.cli("show", "a")).code).toBe(5);

  const done = await here.cli(...command, "--yes");
  expect(done.out).toContain("What was damaged is kept as a.json.damaged-");
  const { revision, etag, updated_at, ...rest } = before;
  expect(await stateOf(here, "a")).toMatchObject(rest);

  const more = await here.cli("resume", "a", "--reopen", "--max-iterations", "9");
  expect(more).toMatchObject({ code: 0 });
  expect(await stateOf(here, "a")).toMatchObject({ status: "completed" });
});
