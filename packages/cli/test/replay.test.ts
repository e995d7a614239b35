import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { documentIn } from "./support/documents.ts";
import { type Project, plan, project, write } from "./support/project.ts";
import { cli } from "./support/run-cli.ts";
import { served, TOKEN } from "./support/served.ts";

let here: Project;
const folders: string[] = [];
beforeAll(async () => {
  here = await project(plan, write("42"));
  const task = ["--loop-id", "a", "--create", "Find it"];
  const { code, err } = await here.cli("run", "--auto", ...here.flags, ...task);
  expect(code, err).toBe(0);
}, 60_000);
afterAll(async () => {
  await here[Symbol.asyncDispose]();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function replayed(...args: string[]) {
  const { code, out, err } = await here.cli("replay", "a", "--speed", "1000000", ...args, "--json");
  expect(code, err).toBe(0);
  const data = documentIn("replay", out);
  folders.push(data.project);
  return { data, err, there: (...rest: string[]) => cli(data.project, rest) };
}

test("a recorded loop is played without its agent, and every command shows it there", async () => {
  await rm(`${here.dir}/agent.json`);
  const { data, err, there } = await replayed();
  expect(data).toMatchObject({ loop_id: "a", status: "completed", exit_code: 0, iteration: 2 });
  expect(err).toContain(`--cwd ${data.project}`);
  const both = async (...args: string[]) => [
    (await here.cli(...args)).out,
    (await there(...args)).out,
  ];
  const [wasLogs, logs] = await both("logs", "a");
  expect(logs).toBe(wasLogs);
  const [wasShown, shown] = await both("show", "a", "--receipt");
  expect(shown).toBe(wasShown);
  const [wasTimeline = "{}", timeline = "{}"] = await both("timeline", "a", "--json");
  expect(JSON.parse(timeline).data).toEqual(JSON.parse(wasTimeline).data);
  expect((await there("list")).out).toMatch(/a +completed/);
});

test("--at stops behind a checkpoint, paused: nobody takes it for one to be driven", async () => {
  const { data, there } = await replayed("--at", "1");
  expect(data).toMatchObject({ status: "paused", tasks: { total: 1, completed: 0 } });
  expect((await there("timeline", "a", "--json")).out).not.toContain('"checkpoint": 2');
  expect((await there("why", "a", "--json")).out).toContain('"driven_by": null');
});

test("with --events it prints what was recorded, in its order", async () => {
  const { code, out } = await here.cli("replay", "a", "--speed", "1000000", "--events");
  expect(code).toBe(0);
  const types = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ kind }) => kind === "recorded")
    .map(({ recorded }) => recorded.event.type);
  expect(types[0]).toBe("loop.started");
  expect(types.at(-1)).toBe("loop.completed");
  expect(types.filter((type) => type === "action.completed")).toHaveLength(4);
});

test("a loop of a control plane is played in files here", async () => {
  const server = await served(here, { drives: false });
  onTestFinished(server.close);
  const { code, out, err } = await cli(
    here.dir,
    ["replay", "a", "--speed", "1000000", "--json", "--url", server.url],
    { CCW_LOOP_TOKEN: TOKEN, CCW_LOOP_STORE: "postgres://nobody@localhost:1/none" },
  );
  expect(code, err).toBe(0);
  const data = documentIn("replay", out);
  folders.push(data.project);
  expect(data).toMatchObject({
    status: "completed",
    next: [`ccw-loop --cwd ${data.project} show a`, expect.stringContaining("rm -rf")],
  });
  expect(err).toContain("There, unset CCW_LOOP_STORE");
  expect((await cli(data.project, ["list"])).out).toMatch(/a +completed/);
});

describe("what cannot be played is refused", () => {
  test.each([
    [["a", "--at", "99"], 2, "has no checkpoint 99. It has: 0"],
    [["none"], 7, "none"],
    [["a", "--speed", "0"], 2, "Use a whole number from 1 on"],
  ])("%j", async (args, code, message) => {
    const ran = await here.cli("replay", ...args);
    expect([ran.code, ran.out]).toEqual([code, ""]);
    expect(ran.err).toContain(message);
  });
});
