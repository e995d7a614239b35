import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DEFAULT_LIMITS, Limits, LoopState } from "@ccw-loop/core";
import { SettingValues } from "@ccw-loop/view";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { editOf, newLoopFields } from "../src/config/flags.ts";
import { effectiveSettings, projectFile, userFile } from "../src/config/settings.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ccw-settings-"));
});
afterEach(() => rm(root, { recursive: true }));

const home = () => join(root, "home");
const effective = (flags: Record<string, unknown> = {}, env: Record<string, string> = {}) =>
  effectiveSettings(flags, {
    env: { HOME: home(), ...env },
    cwd: join(root, "sub"),
    root,
    agentProblem: (name) =>
      /^codex$|^scripted:|^\//.test(name) ? undefined : "no such agent is registered",
  });

async function write(path: string, content: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
}

describe("the strongest layer wins", () => {
  const layers = ["default", "user", "project", "env", "flag"] as const;
  test.each(layers)("%s", async (strongest) => {
    const has = (layer: (typeof layers)[number]) =>
      layers.indexOf(layer) <= layers.indexOf(strongest);
    const user = userFile({ HOME: home() });
    if (has("user")) await write(user, { model: "user" });
    if (has("project")) await write(projectFile(root), { model: "project" });
    const { values, origins } = await effective(
      has("flag") ? { model: "flag" } : {},
      has("env") ? { CCW_LOOP_MODEL: "env" } : {},
    );
    expect([values.model, origins.get("model")]).toEqual(
      {
        default: [null, "default"],
        user: ["user", user],
        project: ["project", projectFile(root)],
        env: ["env", "env CCW_LOOP_MODEL"],
        flag: ["flag", "flag"],
      }[strongest],
    );
  });
});

test("each setting comes from its own layer", async () => {
  await write(projectFile(root), { verify: "make test", max_iterations: 3, $schema: "x" });
  const { values, origins, warnings } = await effective(
    { mode: "auto" },
    { CCW_LOOP_SESSION: "fresh" },
  );
  expect(values).toEqual({
    ...SettingValues.parse({}),
    verify: "make test",
    max_iterations: 3,
    mode: "auto",
    session: "fresh",
  });
  const said = [...origins].filter(([, origin]) => origin !== "default");
  expect(Object.fromEntries(said)).toEqual({
    verify: projectFile(root),
    max_iterations: projectFile(root),
    mode: "flag",
    session: "env CCW_LOOP_SESSION",
  });
  expect(warnings).toEqual([]);
});

test("the user's file is in XDG_CONFIG_HOME when that is set", () => {
  expect(userFile({ HOME: "/h" })).toBe("/h/.config/ccw-loop/config.json");
  expect(userFile({ HOME: "/h", XDG_CONFIG_HOME: "/x" })).toBe("/x/ccw-loop/config.json");
  expect(userFile({ HOME: "/h", XDG_CONFIG_HOME: "relative" })).toBe(
    "/h/.config/ccw-loop/config.json",
  );
});

test("a file of the scripted agent counts from where it was named", async () => {
  const agent = "scripted:agent.yaml";
  await write(userFile({ HOME: home() }), { agent });
  expect((await effective()).values.agent).toBe(`scripted:${home()}/.config/ccw-loop/agent.yaml`);
  await write(projectFile(root), { agent });
  expect((await effective()).values.agent).toBe(`scripted:${root}/agent.yaml`);
  const { values } = await effective({}, { CCW_LOOP_AGENT: agent });
  expect(values.agent).toBe(`scripted:${root}/sub/agent.yaml`);
  expect((await effective({ agent: "scripted:/a/b" })).values.agent).toBe("scripted:/a/b");
});

test("an unknown key is warned about with its file", async () => {
  await write(projectFile(root), { max_iteration: 3 });
  const { warnings } = await effective();
  expect(warnings).toEqual([
    `Unknown setting max_iteration in ${projectFile(root)}; the known ones are: agent, fallback, review, model, verify, max_iterations, max_duration, max_turns, max_tokens, max_cost, max_stalled, max_failures, turn_timeout, test_timeout, task_timeout, session, mode, min_coverage, no_coverage_drop, flaky_reruns.`,
  ]);
});

describe("what cannot be is refused with its place", () => {
  test.each([
    ["max_iterations", "0", "use 1 or more"],
    ["max_iterations", "2.5", "use a whole number"],
    ["max_iterations", "1000001", "use 1000000 or less"],
    ["max_iterations", "1e308", "use 1000000 or less"],
    ["max_duration", "999999999d", "use 365d or less"],
    ["max_iterations", "many", "use a whole number"],
    ["max_turns", "0", "use 1 or more"],
    ["max_tokens", "many", "use a whole number"],
    ["max_cost", "0", "use an amount in US dollars, such as 2.50"],
    ["max_cost", "1000001", "use 1000000 or less"],
    ["test_timeout", "0s", "use a duration like 90s, 45m, 2h or 1d"],
    ["turn_timeout", "8d", "use 7d or less"],
    ["max_duration", "soon", "use a duration like 90s, 45m, 2h or 1d"],
    ["agent", "a\u0007b", "use no control characters"],
    ["agent", "a".repeat(4097), "use 4096 characters or less"],
    ["session", "both", "use single or fresh"],
    ["mode", "manual", "use interactive or auto"],
    ["min_coverage", "high", "use a percentage"],
    ["min_coverage", "101", "use a percentage from 0 to 100"],
    ["no_coverage_drop", "perhaps", "use true or false"],
    ["flaky_reruns", "11", "use a whole number from 0 to 10"],
  ])("%s = %s", async (key, value, reason) => {
    const shown = JSON.stringify(value);
    await expect(effective({ [key]: value })).rejects.toMatchObject({
      code: "invalid_input",
      message: `--${key.replaceAll("_", "-")} cannot be ${shown}: ${reason}.`,
    });
    const name = `CCW_LOOP_${key.toUpperCase()}`;
    await expect(effective({}, { [name]: value })).rejects.toMatchObject({
      message: `${name} cannot be ${shown}: ${reason}.`,
    });
    await write(projectFile(root), { [key]: value });
    await expect(effective()).rejects.toMatchObject({
      message: `${key} in ${projectFile(root)} cannot be ${shown}: ${reason}.`,
    });
  });

  test("an agent that nobody registered, with where to register one", async () => {
    const more = `a module as --agent ./FILE.js, a command as --agent "acp:COMMAND", or register one under agents in ${userFile({ HOME: home() })}`;
    const reason = `no such agent is registered, ${more}.`;
    await expect(effective({ agent: "gpt" })).rejects.toMatchObject({
      message: `--agent cannot be "gpt": ${reason}`,
    });
    await write(projectFile(root), { agent: "gpt" });
    await expect(effective({ agent: "codex" })).rejects.toMatchObject({
      message: `agent in ${projectFile(root)} cannot be "gpt": ${reason}`,
    });
  });

  test("also where a stronger layer covers it", async () => {
    await write(projectFile(root), { mode: "manual" });
    await expect(effective({ mode: "auto" })).rejects.toMatchObject({ code: "invalid_input" });
  });

  test.each([
    ["{", "is not valid JSON"],
    ["[1]", "must hold one JSON object"],
    ["null", "must hold one JSON object"],
  ])("a file with %s", async (content, reason) => {
    await write(projectFile(root), content);
    await expect(effective()).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining(`${projectFile(root)} ${reason}`),
    });
  });

  test.each<[string, (path: string) => unknown, string]>([
    ["a named pipe", (path) => execFileSync("mkfifo", [path]), "cannot be read: ENXIO"],
    ["a folder", (path) => mkdir(path), "cannot be read: EISDIR"],
    ["an endless device", (path) => symlink("/dev/zero", path), "cannot be read: ENXIO"],
    ["lists in lists", (path) => writeFile(path, "[".repeat(5000)), "is nested deeper than 16"],
  ])("%s in the place of a file", async (_, put, reason) => {
    const path = projectFile(root);
    await mkdir(dirname(path), { recursive: true });
    await put(path);
    await expect(effective()).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining(`${path} ${reason}`),
    });
  });
});

test("a new loop keeps the settings; defaults agree with core's", () => {
  const fields = newLoopFields(SettingValues.parse({ verify: "make", max_duration: "2h" }), {});
  expect(fields).toEqual({
    max_iterations: 10,
    limits: { ...DEFAULT_LIMITS, max_duration_ms: 7_200_000 },
    settings: {
      agent: "codex",
      session: "single",
      mode: "interactive",
      verify: "make",
      no_coverage_drop: false,
      flaky_reruns: 2,
    },
  });
  const at = "2026-01-22T10:00:00Z";
  const bare = { loop_id: "a", title: "t", status: "created", created_at: at, updated_at: at };
  expect(fields.max_iterations).toBe(LoopState.parse(bare).max_iterations);
});

test("an existing loop is changed by flags alone", async () => {
  await write(projectFile(root), { max_iterations: 3, model: "m" });
  expect(editOf(await effective(), {})).toBeUndefined();
  const flags = { mode: "auto", max_duration: "1h", max_iterations: "7" };
  expect(editOf(await effective(flags), {})).toEqual({
    max_iterations: 7,
    limits: { max_duration_ms: 3_600_000 },
    settings: { mode: "auto" },
  });
  expect(editOf(await effective(), { waiveTests: "none" })).toEqual({
    settings: { waive_tests: "none" },
  });
});

const LIMITS = [
  ["max_duration", "2h", { max_duration_ms: 7_200_000 }],
  ["max_turns", "5", { max_turns: 5 }],
  ["max_tokens", "9", { max_tokens: 9 }],
  ["max_cost", "2.5", { max_cost_usd: 2.5 }],
  ["max_stalled", "30", { max_stalled: 30 }],
  ["max_failures", "3", { max_consecutive_failures: 3 }],
  ["turn_timeout", "9s", { turn_timeout_ms: 9000 }],
  ["test_timeout", "9s", { test_timeout_ms: 9000 }],
  ["task_timeout", "1m", { task_timeout_ms: 60_000 }],
] as const;

describe("every limit is a setting", () => {
  test.each(LIMITS)("%s", async (key, value, limits) => {
    const byFlag = await effective({ [key]: value });
    expect(editOf(byFlag, {})).toEqual({ limits });
    const byEnvironment = await effective({}, { [`CCW_LOOP_${key.toUpperCase()}`]: value });
    expect(byEnvironment).toEqual({ ...byFlag, origins: byEnvironment.origins });
    await write(projectFile(root), { [key]: value });
    const byFile = await effective();
    expect(byFile.origins.get(key)).toBe(projectFile(root));
    expect(newLoopFields(byFile.values, {}).limits).toEqual({ ...DEFAULT_LIMITS, ...limits });
    expect(editOf(byFile, {})).toBeUndefined();
  });

  test("core has no other", () => {
    const all = Object.assign({}, ...LIMITS.map(([, , limits]) => limits));
    expect(Object.keys(all).sort()).toEqual(Object.keys(Limits.shape).sort());
  });
});

describe("what decides about the proof", () => {
  test("comes from flags, environment and files for a new loop", async () => {
    await write(projectFile(root), { min_coverage: 80, no_coverage_drop: true, flaky_reruns: 0 });
    const { values } = await effective({}, { CCW_LOOP_MIN_COVERAGE: "90.5" });
    expect(newLoopFields(values, {}).settings).toMatchObject({
      min_coverage: 90.5,
      no_coverage_drop: true,
      flaky_reruns: 0,
    });
    const said = await effective({ no_coverage_drop: false });
    expect(newLoopFields(said.values, {}).settings.no_coverage_drop).toBe(false);
  });

  test.each(["targets", "known_red", "allow_test_changes", "waive_tests", "known-red"])(
    "no file can say %s: it is excused by an operator, for one loop",
    async (key) => {
      await write(projectFile(root), { [key]: ["*"] });
      const { values, warnings } = await effective();
      expect(newLoopFields(values, {})).toEqual(newLoopFields(SettingValues.parse({}), {}));
      expect(warnings).toEqual([expect.stringContaining(`Unknown setting ${key}`)]);
    },
  );

  test("is changed for a loop under way by what the flags say, and nothing else", async () => {
    const weak = { verify: "true", min_coverage: 0, no_coverage_drop: false, flaky_reruns: 10 };
    await write(projectFile(root), weak);
    await write(userFile({ HOME: home() }), weak);
    const env = { CCW_LOOP_VERIFY: "true", CCW_LOOP_MIN_COVERAGE: "0" };
    expect(editOf(await effective({}, env), {})).toBeUndefined();
    expect(editOf(await effective({ min_coverage: "70" }, env), {})).toEqual({
      settings: { min_coverage: 70 },
    });
    expect(editOf(await effective({ no_coverage_drop: false }), {})).toEqual({
      settings: { no_coverage_drop: false },
    });
    const flags = { target: ["a"], knownRed: ["b", "c"], allowTestChanges: ["test/"] };
    expect(editOf(await effective(), flags)).toEqual({
      settings: { targets: ["a"], known_red: ["b", "c"], allow_test_changes: ["test/"] },
    });
  });
});
