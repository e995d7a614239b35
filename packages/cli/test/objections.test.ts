import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { BIN } from "./support/bin.ts";
import { HANGING, hang, type Project, plan, stateOf } from "./support/project.ts";
import {
  FINDS_TESTS,
  OTHER_FILE,
  other,
  renames,
  repairs,
  TEST_FILE,
  testedProject,
  waitingProject,
  writes,
} from "./support/tested-project.ts";

const PATIENCE = { timeout: 20_000 };
const TASK = "Repair sum: the test adds two numbers has to pass";

const run = (here: Project, ...args: string[]) => [
  ...["run", "--auto", ...here.flags, ...args, "--loop-id", "a", "--create", TASK],
];

describe("a test that failed before and is known red", () => {
  test("does not block, and is told at the end and by show", { tags: ["slow"] }, async () => {
    const project = await testedProject(plan, repairs);
    await using here = { ...project, flags: FINDS_TESTS };
    const { code, out, err } = await here.cli(...run(here, "--known-red", "halves a number"));
    expect(code, err).toBe(0);
    expect(out).toContain("beside the tests before: 1 fixed, 1 failed before and still failing");
    const shown = (await here.cli("show", "a")).out;
    expect(shown).toMatch(/Baseline +npm test: 1 passed, 2 failed\n/);
    expect(shown).toMatch(/Owed +\S.*adds two numbers\n/);
    expect(shown).toMatch(/Known-red +\S.*halves a number\n/);
    expect(shown).toMatch(/Fixed +\S.*adds two numbers\n/);
    expect(shown).toMatch(/Checkpoints +0 to \d+; see: ccw-loop timeline a\n/);
  });

  test("is owed when it is named as a target, and not when it is called known-red", {
    tags: ["slow"],
  }, async () => {
    await using here = await testedProject(plan, repairs, {
      action: "DEBUG",
      answer: { message: "?", state_updates: {} },
      repeat: true,
    });
    const limit = ["--max-iterations", "2"];
    const owed = await here.cli(
      ...run(here, "--target", "*adds two*", "--target", "halves", ...limit),
    );
    expect(owed.code).toBe(3);
    expect(owed.out).toContain("halves");
    const raised = ["--max-iterations", "5"];
    const known = await here.cli("resume", "a", "--reopen", "--known-red", "halves", ...raised);
    expect(known.code, known.err).toBe(0);
    expect(await stateOf(here, "a")).toMatchObject({
      settings: { targets: ["*adds two*", "halves"], known_red: ["halves"] },
    });
  });
});

describe("a test that cannot follow the change", () => {
  const asks = /Waits for approval: The tests pass, but this alone does not prove the work\./;
  const renaming = async (half: string, ...turns: Parameters<typeof testedProject> | []) => {
    const here = await testedProject(plan, renames(half), ...turns);
    await writeFile(join(here.dir, OTHER_FILE), other("half"));
    return here;
  };

  test("waits for a person: exit 4, with the question, the tests and how to answer", {
    tags: ["slow"],
  }, async () => {
    await using here = await renaming("half", writes({ "src/none.js": "" }));
    const { code, out, err } = await here.cli(...run(here));
    expect(code, err).toBe(4);
    expect(out).toMatch(asks);
    expect(out).toContain("adds two numbers");
    expect(out).toContain("ccw-loop answer a accept\n");
    expect(out).toContain("ccw-loop answer a reject\n");
    expect((await here.cli("why", "a")).out).toMatch(/Objections +\S.*adds two numbers/);
    expect((await here.cli("show", "a")).out).toMatch(/Objections +open: /);
    expect((await here.cli("answer", "a", "perhaps")).code).toBe(2);

    const rejected = await here.cli("answer", "a", "reject");
    expect(rejected.out).toContain("Go on with: ccw-loop run --loop-id a");
    const again = await here.cli("run", "--loop-id", "a");
    expect(again.code, again.err).toBe(4);
    expect(again.err).toMatch(/DEVELOP started, task 2\/2: /);
    expect((await here.cli("verify", "a")).code).toBe(1);

    await here.cli("answer", "a", "accept");
    const done = await here.cli("run", "--loop-id", "a");
    expect(done.code, done.err).toBe(0);
    expect(done.out).toMatch(/^Completed, objections accepted: /);
    expect(done.out).toMatch(/Accepted +accepted: /);
    const receipt = (await here.cli("show", "a", "--receipt")).out;
    for (const name of ["Results", "Square", "Test digest", "Checkpoint", "Seal"]) {
      expect(receipt).toMatch(new RegExp(`^  ${name} +\\S`, "m"));
    }
    expect(receipt).toMatch(/^ +tests at the start {2}\d green, \d red {2,}\d green/m);
    const verified = await here.cli("verify", "a");
    expect(verified.code, verified.out).toBe(0);
  });

  test("does not wait when its path was allowed beforehand", { tags: ["slow"] }, async () => {
    await using here = await renaming("half");
    const { code, out, err } = await here.cli(...run(here, "--allow-test-changes", TEST_FILE));
    expect(code, `${out}${err}`).toBe(0);
  });

  test("waits when only the path of another one was allowed", { tags: ["slow"] }, async () => {
    await using here = await renaming("halve");
    const { code, out } = await here.cli(...run(here, "--allow-test-changes", TEST_FILE));
    expect(code, out).toBe(4);
    const objection = "1 test as it was at the start does not pass with the present sources";
    expect(out).toContain(`${objection}: ${OTHER_FILE} > halves to a number. In the clean room: `);
  });

  test("is asked about at the terminal", { tags: ["slow"] }, async () => {
    await using here = await renaming("half");
    const io = here.io({ tty: true, columns: 100, rows: 40, env: { NO_COLOR: "1" } });
    const driving = here.run(io, ...run(here));
    const question = "Answer (accept, reject): ";
    const asked = () => io.err().split(question).length - 1;
    await vi.waitFor(() => expect(asked()).toBe(1), PATIENCE);
    expect(io.err()).toContain("adds two numbers");
    io.type("maybe\n");
    await vi.waitFor(() => expect(asked()).toBe(2), PATIENCE);
    io.type("accept\n");
    expect((await driving).code).toBe(0);
  });
});

test("a settings file that the agent wrote changes nothing of its own loop", {
  tags: ["slow"],
}, async () => {
  const weak = JSON.stringify({ verify: "true", mode: "interactive", flaky_reruns: 10 });
  const cheats = {
    ...hang,
    steps: [{ write: { path: ".workflow/ccw-loop.json", content: weak } }, ...(hang.steps ?? [])],
  };
  const project = await testedProject(plan, cheats, writes({ "src/none.js": "" }));
  await using here = { ...project, flags: FINDS_TESTS };
  const io = here.io();
  const driving = here.run(io, ...run(here, "--max-iterations", "2"));
  await vi.waitFor(() => expect(io.err()).toContain(HANGING), PATIENCE);
  const before = (await stateOf(here, "a")).settings;
  io.signal("SIGINT");
  await driving;
  const resumed = await here.cli("resume", "a");
  expect(resumed.code, resumed.err).toBe(3);
  const { settings, receipts } = await stateOf(here, "a");
  expect(settings).toEqual(before);
  expect(receipts.at(-1)).toMatchObject({ command: "npm test", passed: false });
});

test("an agent that gives an operator's commands is refused, and may look", {
  tags: ["slow"],
}, async () => {
  const call = (...args: string[]) =>
    `"${process.execPath}" "${BIN}" ${args.join(" ")} >> said.txt 2>&1; echo "exit $?" >> said.txt`;
  // Nothing of the environment is left by which it could be known.
  const without = (...args: string[]) =>
    `env -i PATH="$PATH" HOME=/nonexistent sh -c '${call(...args).replaceAll("'", `'"'"'`)}'`;
  const cheating = {
    ...repairs,
    steps: [
      ...repairs.steps,
      { run: call("run", "--loop-id", "a", "--auto", "--known-red", "'*'") },
      { run: call("stop", "a") },
      { run: call("why", "a", "--json") },
      { run: without("answer", "a", "accept") },
      { run: `setsid --fork --wait ${without("resume", "a", "--known-red", "'*'")}` },
    ],
  };
  await using here = await testedProject(plan, cheating);
  const { code, err } = await here.cli(...run(here, "--known-red", "halves"));
  expect(code, err).toBe(0);
  const said = await readFile(join(here.dir, "said.txt"), "utf8");
  expect(said.match(/only its operator may change it/g)).toHaveLength(4);
  expect(said.match(/exit \d+/g)).toEqual(["exit 6", "exit 6", "exit 0", "exit 6", "exit 6"]);
  expect((await stateOf(here, "a")).settings.known_red).toEqual(["halves"]);
});

test("an agent answers for no loop of another project, but for those that it made", {
  tags: ["slow"],
}, async () => {
  await using other = await waitingProject();
  const before = other.read();
  const call = (...args: string[]) =>
    `env -i PATH="$PATH" HOME=/nonexistent "${process.execPath}" "${BIN}" --cwd ${other.dir} ${args.join(" ")} >> said.txt 2>&1; echo "exit $?" >> said.txt`;
  const command = ["true", "--tool", "bash"];
  const calls = [
    call("answer", "a", "accept"),
    call("tasks", "add", "a", ...command),
    call("start", "'What this work tries'", "--loop-id", "own", ...FINDS_TESTS),
    call("tasks", "add", "own", ...command),
  ];
  const inside = { ...repairs, steps: [...repairs.steps, { run: calls.join("\n") }] };
  await using here = await testedProject(plan, inside);
  const { code, err } = await here.cli(...run(here, "--known-red", "halves"));
  expect(code, err).toBe(0);
  const said = await readFile(join(here.dir, "said.txt"), "utf8");
  expect(said.match(/from inside of a loop of another project/g), said).toHaveLength(2);
  expect(said.match(/exit \d+/g), said).toEqual(["exit 6", "exit 6", "exit 0", "exit 0"]);
  expect(other.read()).toBe(before);
});

test("a program that an agent left behind, cut off from everything, cannot answer for the operator", async () => {
  const program = `until grep -q '"about": "objections"' .workflow/.loop/a.json; do sleep 0.1; done
"${process.execPath}" "${BIN}" answer a accept > said.txt 2>&1; echo "exit $?" >> said.txt`;
  const leaves = {
    ...writes({
      "src/sum.js": "export const sum = (a, b) => a - b;\nexport const half = (a) => a;\n//\n",
    }),
    steps: [
      { write: { path: "src/none.js", content: "" } },
      { write: { path: ".workflow/answer.sh", content: program } },
      {
        run: `(env -i PATH="$PATH" HOME=/nonexistent setsid sh .workflow/answer.sh >/dev/null 2>&1 &)`,
      },
    ],
  };
  await using here = await testedProject(plan, leaves);
  const { code, out } = await here.cli(...run(here, "--known-red", "*"));
  expect(code, out).toBe(4);
  await expect
    .poll(() => readFile(join(here.dir, "said.txt"), "utf8").catch(() => ""), PATIENCE)
    .toMatch(/exit \d+/);
  const said = await readFile(join(here.dir, "said.txt"), "utf8");
  expect(said).toContain("without parent and terminal");
  expect(said).toContain("exit 6");
  const { waiting, accepted } = await stateOf(here, "a");
  expect([waiting.kind, accepted]).toEqual(["approval", undefined]);
  expect((await here.cli("answer", "a", "accept")).code).toBe(0);
});
