import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { removeFolder, temporaryFolder } from "../../support/folders.ts";
import type { Recipe } from "./recipes.ts";

/** What came of the tests of one kind. */
export interface Score {
  passed: number;
  /** Their titles. */
  failed: string[];
}

/**
 * The contract suite in the sandbox and without, what a contained agent reaches, and the main job from red tests to proven;
 * null where it was not run.
 */
export interface SuiteResult {
  contained: Score | null;
  open: Score | null;
  kept: Score | null;
  job: Score | null;
}

const ROOT = join(import.meta.dirname, "../../..");
const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");

const TESTS = ["agents", "agent-job"].map((name) => `quality/test/${name}.test.ts`);
const KEPT = "contained it changes neither";

const Report = z.object({
  testResults: z.array(
    z.object({
      message: z.string().optional(),
      assertionResults: z.array(
        z.object({ fullName: z.string(), title: z.string(), status: z.string() }),
      ),
    }),
  ),
});

/** Runs `TESTS` for one agent, `quick` only what it reaches contained; what they print goes to stderr. */
export async function suiteOf(
  { name }: Recipe,
  { from, quick }: { from: string | undefined; quick: boolean },
): Promise<SuiteResult> {
  const folder = temporaryFolder("agents");
  const outputFile = join(folder, "report.json");
  const child = spawn(
    process.execPath,
    [
      ...[VITEST, "run", "--project", "quality", ...TESTS, "--retry=0", "--no-file-parallelism"],
      ...["--reporter=dot", "--reporter=json", `--outputFile.json=${outputFile}`],
      ...(quick ? ["--testNamePattern", KEPT] : []),
    ],
    {
      cwd: ROOT,
      env: {
        ...process.env,
        CCW_LOOP_TEST_AGENTS: name,
        ...(from === undefined ? {} : { CCW_LOOP_TEST_AGENTS_IN: from }),
      },
      stdio: ["ignore", 2, 2],
    },
  );
  await once(child, "exit");
  const { testResults } = Report.parse(JSON.parse(readFileSync(outputFile, "utf8")));
  removeFolder(folder);
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  if (tests.length === 0) throw new Error(testResults[0]?.message ?? "vitest ran no test.");
  const scoreOf = (words: RegExp): Score | null => {
    const ran = tests.filter(
      ({ fullName, status }) => words.test(fullName) && ["passed", "failed"].includes(status),
    );
    const failed = ran.filter(({ status }) => status === "failed").map(({ title }) => title);
    return ran.length === 0 ? null : { passed: ran.length - failed.length, failed };
  };
  return {
    contained: scoreOf(/Agent contract: contained/),
    open: scoreOf(/Agent contract: not contained/),
    kept: scoreOf(new RegExp(KEPT)),
    job: scoreOf(/^ccw-loop run --agent /),
  };
}
