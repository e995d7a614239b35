import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Ran } from "./support/bin.ts";
import { database } from "./support/database.ts";
import { documentIn } from "./support/documents.ts";
import { emptyFolder } from "./support/folder.ts";
import { plan, project, write } from "./support/project.ts";
import { cli } from "./support/run-cli.ts";

const db = database();

type Cli = (...args: string[]) => Promise<Ran>;

/** All that is told of a loop, and of whose telling no store has a part. */
async function allOf(ccw: Cli, id: string) {
  const of = async (...args: string[]) => {
    const { code, out, err } = await ccw(...args);
    expect(code, err).toBe(0);
    return out;
  };
  const { loop } = documentIn("show", await of("show", id, "--json")) as { loop: object };
  const { etag: _, ...state } = loop as { etag?: string };
  return {
    state,
    receipt: JSON.parse(await of("receipt", id)),
    verified: (await of("verify", id)).split("\n", 1),
    timeline: documentIn("timeline", await of("timeline", id, "--json")),
    // The numbers of its records are each store's own.
    logs: (await of("logs", id, "--raw")).replaceAll(/,"seq":\d+/g, ""),
    tasks: await of("tasks", "list", id),
  };
}

test("a loop goes from files into a database and back, and nothing of it is lost", async () => {
  await using here = await project(plan, write("42"));
  const dir = emptyFolder();
  const { whole } = db.place();
  const inDatabase: Cli = (...args) => cli(here.dir, args, { CCW_LOOP_STORE: whole });
  await inDatabase("store", "migrate");
  const [one, two] = [join(dir, "one.jsonl"), join(dir, "two.jsonl")];
  await here.cli("run", "--auto", ...here.flags, "--loop-id", "a", "--create", "x");
  const before = await allOf(here.cli, "a");
  const progress = join(here.dir, ".workflow/.loop/a.progress");
  const document = readFileSync(join(progress, "develop.md"), "utf8");

  expect(documentIn("export", (await here.cli("export", "a", one, "--json")).out)).toEqual({
    ...{ file: one, exported: ["a"], failed: [] },
  });
  expect(statSync(one).mode & 0o777).toBe(0o600);
  const taken = await inDatabase("import", one, "--json");
  expect(documentIn("import", taken.out)).toMatchObject({ made: ["a"], there: [], failed: [] });
  expect(await allOf(inDatabase, "a")).toEqual(before);
  expect(await inDatabase("import", one)).toMatchObject({
    ...{ code: 0, out: "0 loops taken in; 1 were here already.\n" },
  });

  expect((await inDatabase("export", "--all", two)).code).toBe(0);
  expect(readFileSync(two, "utf8")).toBe(readFileSync(one, "utf8"));
  await here.cli("delete", "a", "--yes");
  expect(existsSync(progress)).toBe(false);
  expect((await here.cli("import", two)).code).toBe(0);
  expect(await allOf(here.cli, "a")).toEqual(before);
  expect(readFileSync(join(progress, "develop.md"), "utf8")).toBe(document);
});

test("a loop that ran where it comes from is paused", { tags: ["slow"] }, async () => {
  await using here = await project(plan, write("42"));
  await using there = await project(plan);
  const file = join(emptyFolder(), "loops.jsonl");
  await here.cli("start", "--auto", ...here.flags, "--loop-id", "a", "x");
  await here.cli("export", "a", file);
  expect((await here.cli("show", "a")).out).toContain("running");
  const { out } = await there.cli("import", file);
  expect(out).toContain("What ran is paused. See them with: ccw-loop list");
  const { loop } = documentIn("show", (await there.cli("show", "a", "--json")).out) as never as {
    loop: { status: string; revision: number };
  };
  expect(loop).toMatchObject({ status: "paused", revision: 3 });
  // It went on where it came from, so what is in a newer file is another state of it.
  await there.cli("tasks", "add", "a", "more");
  expect((await there.cli("import", file)).out).toContain("1 were here already");
  await here.cli("pause", "a");
  await here.cli("tasks", "add", "a", "one");
  await here.cli("tasks", "add", "a", "two");
  const newer = join(emptyFolder(), "newer.jsonl");
  await here.cli("export", "a", newer);
  const refused = await there.cli("import", newer);
  expect([refused.code, refused.out]).toEqual([
    6,
    expect.stringContaining("an older state of the same loop"),
  ]);
});

test("what was cut off or changed is refused before anything is made", async () => {
  await using here = await project(plan);
  await using there = await project(plan);
  const file = join(emptyFolder(), "loops.jsonl");
  for (const id of ["a", "b"]) await here.cli("start", ...here.flags, "--loop-id", id, "x");
  await here.cli("export", "a", "b", file);
  const whole = readFileSync(file, "utf8");
  const lines = whole.trimEnd().split("\n");
  const newer = JSON.stringify({ ...JSON.parse(lines[0] ?? ""), ccw_loop_archive: 2 });
  const refused: [string, string][] = [
    [lines.slice(0, -1).join("\n"), "loop b is cut off"],
    [whole.replace(/"actor":"(\w+)"/, '"actor":"me"'), "loop a is not as it was written"],
    [
      lines.with(-2, "{").join("\n"),
      `Line ${lines.length - 1} of the archive cannot be used: it is no JSON`,
    ],
    [`${whole}{}\n`, `Line ${lines.length + 1} of the archive`],
    [[newer, ...lines.slice(1)].join("\n"), "exported by a newer version of ccw-loop"],
  ];
  for (const [text, why] of refused) {
    writeFileSync(file, text);
    const { code, out, err } = await there.cli("import", file);
    expect([out, err]).toEqual(["", expect.stringContaining(why)]);
    expect([2, 5]).toContain(code);
    expect((await there.cli("list", "--json")).out).toContain('"total": 0');
  }
  writeFileSync(file, whole);
  expect((await there.cli("import", file)).code).toBe(0);
});

test("what cannot be exported is told, and no file is left of it", { tags: ["slow"] }, async () => {
  await using here = await project(plan);
  const file = join(emptyFolder(), "loops.jsonl");
  for (const id of ["a", "b"]) await here.cli("start", ...here.flags, "--loop-id", id, "x");
  for (const args of [["a"], ["--all", "a", file], ["none", file]]) {
    expect((await here.cli("export", ...args)).code).toBeGreaterThan(0);
    expect(existsSync(file)).toBe(false);
  }
  for (const name of [
    "a.json",
    "a.history/0000000001.json",
    "a.history/0000000002.json",
    "a.journal.jsonl",
  ]) {
    writeFileSync(join(here.dir, ".workflow/.loop", name), "{");
  }
  appendFileSync(join(here.dir, ".workflow/.loop/a.json"), "}");
  const { code, out } = await here.cli("export", "--all", file, "--json");
  expect([code, documentIn("export", out).failed]).toEqual([
    1,
    [expect.objectContaining({ id: "a" })],
  ]);
  expect((await here.cli("export", "b", file)).err).toContain("exists already. Name another file.");
  expect((await here.cli("import", join(here.dir, "gone"))).err).toContain(
    "cannot be read: ENOENT",
  );
});
