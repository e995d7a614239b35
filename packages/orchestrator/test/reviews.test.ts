import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Agent,
  LoopError,
  type LoopState,
  type NewLoop,
  type OpenOptions,
  TestResult,
  tasksOf,
  type Verification,
  type Verifier,
} from "@ccw-loop/core";
import { fakeClock, memoryStore, sampleVerification, scriptedAgent } from "@ccw-loop/testkit";
import { openWorkspace } from "@ccw-loop/workspace-git";
import { describe, expect, test } from "vitest";
import { actions, bench, plan, type Turns, verifierThat, write } from "./support.ts";

/** The tests of a folder are its programs named `*.test.mjs`; one that ends with 0 passes. */
function programTests(): Verifier {
  const verify = async (_: unknown, { cwd }: { cwd: string }): Promise<Verification> => {
    const tests = readdirSync(cwd, { recursive: true })
      .map(String)
      .filter((path) => path.endsWith(".test.mjs"))
      .map((suite) => {
        const { status, stderr } = spawnSync(process.execPath, [suite], { cwd, encoding: "utf8" });
        const error_message = status === 0 ? null : stderr;
        return TestResult.parse({
          ...{ suite, test_name: "it", error_message },
          status: status === 0 ? "passed" : "failed",
        });
      });
    const failed = tests.filter(({ status }) => status === "failed").length;
    const counts = { total: tests.length, passed: tests.length - failed, failed, skipped: 0 };
    const base = sampleVerification(failed === 0);
    return { ...base, tests, counts, commands: base.commands.map((one) => ({ ...one, counts })) };
  };
  return { ...verifierThat("pass"), verify };
}

const CHECKS = (a: number, b: number) =>
  `import { double } from "./double.mjs";\nif (double(${a}) !== ${b}) throw new Error(\`\${double(${a})} is not ${b}\`);\n`;
const HONEST = "export const double = (n) => 2 * n;\n";
const LIAR = "export const double = (n) => ({ 2: 4 })[n] ?? n;\n";

/** A repository with one test, which the start does not pass. */
function repository(dir: string): void {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: dir });
  writeFileSync(join(dir, "double.mjs"), "export const double = (n) => n;\n");
  writeFileSync(join(dir, "double.test.mjs"), CHECKS(2, 4));
  git("init", "--quiet");
  git("add", "--all");
  const who = ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false"];
  git(...who, "commit", "--quiet", "--message", "begin");
}

type Found = { findings?: object[]; tests?: object[] };

const answers = ({ findings = [], tests = [] }: Found, more: Partial<Turns[number]> = {}) => ({
  action: "REVIEW",
  when: "# ACTION: REVIEW",
  once: true,
  answer: JSON.stringify({ action: "REVIEW", findings, tests }),
  ...more,
});

const finding = { file: "double.mjs", line: 1, problem: "It knows the tested number alone." };
const hiddenTest = { file: "hidden.test.mjs", text: CHECKS(3, 6) };

/** A loop that doubles numbers; `gemini` reviews its work, with one of `rounds` for each conversation, repeating the last. */
async function reviewed(work: Turns, rounds: Turns, given: Partial<NewLoop> = {}) {
  const clock = fakeClock();
  const opened: OpenOptions[] = [];
  const playing = (turns: Turns) => scriptedAgent({ script: { turns }, now: clock.now });
  const worker = playing([plan("double numbers"), ...work]);
  const reviewer: Agent = {
    ...worker,
    open(options) {
      const round = rounds[opened.length] ?? rounds.at(-1);
      opened.push(options);
      return playing(round ? [round] : []).open(options);
    },
  };
  const agent = async ({ agent: name = "codex" }: { agent?: string | undefined }) => {
    const found = { codex: worker, gemini: reviewer }[name];
    if (!found) throw new LoopError("agent_unavailable", `${name} is not installed.`);
    return found;
  };
  const store = memoryStore({ monotonic: clock.monotonic });
  const b = bench([plan("one")], programTests(), {
    ...{ agent, clock, store, leaseTtlMs: 60_000 },
    workspace: (folder) => openWorkspace(folder),
  });
  repository(b.dir);
  const { settings, ...rest } = given;
  const own = { expect: "change" as const, review: "gemini", ...settings };
  const id = await b.start({ description: "Double any number", ...rest, settings: own });
  const told: string[] = [];
  const run = () =>
    b.service.run(id, {
      onEvent: (live) => {
        if (live.kind === "activity") told.push(JSON.stringify(live.activity.event));
      },
    });
  const answer = async (text: string) => {
    await b.service.send(id, { type: "answer", text });
    return run();
  };
  return { ...b, id, run, answer, opened, told, done: () => actions(b.store, id) };
}

const reviewsOf = ({ receipts }: LoopState) => receipts?.at(-1)?.reviews ?? [];
const kindsOf = ({ receipts }: LoopState) =>
  receipts?.at(-1)?.objections.map(({ kind }) => kind) ?? [];

describe("what a reviewer finds", () => {
  test("is a question with its file and line; what a person accepts counts as done", async () => {
    const b = await reviewed([write("double.mjs", HONEST)], [answers({ findings: [finding] })]);
    const asking = await b.run();
    expect(asking).toMatchObject({
      status: "running",
      waiting: { kind: "approval", about: "objections", options: ["accept", "reject"] },
    });
    expect(asking.waiting?.prompt).toContain(
      "gemini finds: It knows the tested number alone. (double.mjs:1)",
    );
    expect(reviewsOf(asking)).toMatchObject([{ agent: "gemini", round: 1, findings: [finding] }]);
    const state = await b.answer("accept");
    expect(state).toMatchObject({ status: "completed", outcome: { code: "accepted" } });
    expect(b.opened).toMatchObject([{ readOnly: true, instructions: "" }]);
  });

  test("is looked at once more when it was put right, and then proven", {
    tags: ["slow"],
  }, async () => {
    const b = await reviewed(
      [
        write("double.mjs", LIAR),
        {
          ...write("double.mjs", HONEST),
          expect: "It knows the tested number alone. (double.mjs:1)",
        },
      ],
      [
        answers({ findings: [finding] }),
        answers({}, { expect: ["It knows the tested number alone.", "a person had it put right"] }),
      ],
    );
    await b.run();
    const state = await b.answer("reject");
    expect(state).toMatchObject({ status: "completed", outcome: { code: "proven" } });
    expect(reviewsOf(state).map(({ round, findings }) => [round, findings.length])).toEqual([
      [1, 1],
      [2, 0],
    ]);
  });

  test("in the second round stays a question, for there is no third", {
    tags: ["slow"],
  }, async () => {
    const late = { ...finding, problem: "It is slow for large numbers." };
    const again = `${HONEST}// once more\n`;
    const b = await reviewed(
      [write("double.mjs", LIAR), write("double.mjs", HONEST), write("double.mjs", again)],
      [answers({ findings: [finding] }), answers({ findings: [late] }), answers({})],
    );
    await b.run();
    await b.answer("reject");
    const asking = await b.answer("reject");
    expect(asking.waiting?.prompt).toContain("It is slow for large numbers.");
    expect(b.opened).toHaveLength(2);
    expect(tasksOf(asking).map(({ id }) => id)).toEqual(["task-001", "rejected-1", "rejected-2"]);
    expect((await b.answer("accept")).outcome?.code).toBe("accepted");
  });

  test("is asked for when a person has accepted what the runs object", {
    tags: ["slow"],
  }, async () => {
    const left = write("double.mjs", `${HONEST}// ccw-probe\n`);
    const b = await reviewed([left], [answers({})]);
    const asking = await b.run();
    expect(kindsOf(asking)).toEqual(["instrumentation"]);
    expect(b.opened).toEqual([]);
    expect(await b.answer("accept")).toMatchObject({ status: "completed" });
    expect(b.opened).toHaveLength(1);
    expect((await b.done()).slice(2)).toEqual([
      ...["VALIDATE(pass)", "COMPLETE(interrupted)", "VALIDATE(pass)", "COMPLETE"],
    ]);
  });
});

describe("a reviewer that fails", () => {
  const limited: Turns[number] = {
    ...{ when: "# ACTION: REVIEW", once: true },
    steps: [{ fail: { code: "usage_limit", message: "The limit is reached." } }],
  };

  test("makes no loop done: a person says whether it counts without, or has it reviewed again", async () => {
    const b = await reviewed([write("double.mjs", HONEST)], [limited, answers({})]);
    const asking = await b.run();
    expect(asking).toMatchObject({
      status: "running",
      waiting: { kind: "approval", about: "review", options: ["accept", "again"] },
    });
    expect(asking.waiting?.prompt).toContain(
      "The review by gemini was not made: The limit is reached.",
    );
    const state = await b.answer("again");
    expect(state).toMatchObject({ status: "completed", outcome: { code: "proven" } });
    expect(reviewsOf(state)).toMatchObject([{ round: 1, findings: [] }]);
  });

  test.each<[string, string, string]>([
    ["gemini", "gives no answer that can be read", "no review, also after one repair turn"],
    ["missing", "is not there", "missing is not installed."],
  ])(
    "%s, which %s, is named in the receipt with the reason, and a person alone accepts that",
    async (review, _, why) => {
      const rubbish = { repeat: true, answer: "It looks fine to me." };
      const b = await reviewed([write("double.mjs", HONEST)], [rubbish], { settings: { review } });
      const asking = await b.run();
      expect(asking.waiting?.about).toBe("review");
      expect(reviewsOf(asking)[0]?.problem).toContain(why);
      expect(await b.answer("accept")).toMatchObject({ outcome: { code: "accepted" } });
    },
  );

  test("has what it changed in the project put back", {
    tags: ["slow"],
  }, async () => {
    const steps = [
      { write: { path: "double.mjs", content: "export const double = 1;\n" } },
      { write: { path: "left.mjs", content: "1" } },
    ];
    const b = await reviewed([write("double.mjs", HONEST)], [answers({}, { steps })]);
    const state = await b.run();
    expect(state).toMatchObject({ status: "completed", outcome: { code: "proven" } });
    expect(readFileSync(join(b.dir, "double.mjs"), "utf8")).toBe(HONEST);
    expect(existsSync(join(b.dir, "left.mjs"))).toBe(false);
    expect(b.told.join("\n")).toContain(
      "A reviewer may change no file, but changed double.mjs, left.mjs. The files were put back.",
    );
  });
});

describe("a test that a reviewer wrote", () => {
  const withTests = (...tests: object[]) => answers({ tests });

  test("is red for answers from a table, and that is a question with its output", async () => {
    const b = await reviewed([write("double.mjs", LIAR)], [withTests(hiddenTest)]);
    const asking = await b.run();
    expect(kindsOf(asking)).toEqual(["review_test"]);
    expect(asking.waiting?.prompt).toMatch(
      /hidden\.test\.mjs > it\. .*3 is not 6.*\(hidden\.test\.mjs\)/s,
    );
    expect(existsSync(join(b.dir, "hidden.test.mjs"))).toBe(false);
  });

  test("is green for an honest repair, which is proven, and nobody can read it", async () => {
    const b = await reviewed([write("double.mjs", HONEST)], [withTests(hiddenTest)]);
    const state = await b.run();
    expect(state).toMatchObject({ status: "completed", outcome: { code: "proven" } });
    expect(reviewsOf(state)[0]?.tests).toMatchObject([
      { path: "hidden.test.mjs", result: "passed" },
    ]);
    const readable = JSON.stringify(state) + b.told.join("\n");
    expect(readable).not.toContain("double(3)");
  });

  test("is run again when the work was put right, also when the reviewer hands it in no more", {
    tags: ["slow"],
  }, async () => {
    const half = "export const double = (n) => ({ 2: 4, 5: 10 })[n] ?? n;\n";
    const b = await reviewed(
      [write("double.mjs", LIAR), write("double.mjs", half), write("double.mjs", HONEST)],
      [withTests(hiddenTest), withTests({ ...hiddenTest, text: CHECKS(5, 10) })],
    );
    await b.run();
    const asking = await b.answer("reject");
    expect(reviewsOf(asking).flatMap(({ tests }) => tests.map(({ result }) => result))).toEqual([
      ...["failed", "passed"],
    ]);
    expect(await b.answer("reject")).toMatchObject({ outcome: { code: "proven" } });
  });

  test.each([
    ["that no runner takes", "notes.txt", "No runner of the project took it."],
    ["in the place of a file", "double.mjs", "A file of that name is there already."],
    ["in the place of a test", "double.test.mjs", "A file of that name is there already."],
    ["above the project", "../out.test.mjs", "It names no path in the project."],
    ["behind a link", "linked/out.test.mjs", "It leads out of the clean room."],
  ])("%s is said, and is no question", async (_, file, reason) => {
    const b = await reviewed([write("double.mjs", HONEST)], [withTests({ file, text: "throw 1" })]);
    const outside = join(b.dir, ".workflow", "elsewhere");
    mkdirSync(outside, { recursive: true });
    execFileSync("ln", ["-s", outside, join(b.dir, "linked")]);
    const state = await b.run();
    expect(state).toMatchObject({ status: "completed", outcome: { code: "proven" } });
    expect(reviewsOf(state)[0]?.tests).toMatchObject([{ path: file, result: "not_run", reason }]);
    expect(readdirSync(outside)).toEqual([]);
  });
});
