import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { commandLine, jsonOf } from "../../support/command-line.ts";
import { isolatedEnvironment, outputOf } from "../../support/environment.ts";
import { removeFolder, temporaryFolder } from "../../support/folders.ts";
import type { Play } from "./cases.ts";
import { prepare } from "./prepare.ts";
import { reviewScriptOf, scriptOf, taskOf } from "./script.ts";

/** A loop that takes longer hangs. */
const LONGEST_MS = 240_000;

/** A program that is the agent of a script. */
const ACP_AGENT = join(import.meta.dirname, "../acp-agent.ts");

export interface PlayPlace {
  root: string;
  /** The agent is behind the Agent Client Protocol. */
  acp: boolean;
}

/**
 * Plays one case as a real loop in a new folder below `root`: the real command line in a process of its own. A
 * loop that was killed is taken up again once. Throws when it tells no end.
 */
export async function playLoop(play: Play, { root, acp }: PlayPlace): Promise<Ending> {
  const place = join(root, play.name);
  const top = join(place, "project");
  await mkdir(top, { recursive: true });
  // A sandbox has a temporary folder of its own.
  const scripts = acp ? temporaryFolder("agent", homedir()) : place;
  try {
    await prepare(play, top);
    const script = join(scripts, "agent.json");
    await writeFile(script, JSON.stringify(scriptOf(play), null, 2));
    const reviewer = join(scripts, "reviewer.json");
    const review = reviewScriptOf(play);
    if (review) await writeFile(reviewer, JSON.stringify(review, null, 2));
    const cwd = join(top, play.case.folder);
    const common = ["--auto", "--json", "--loop-id", play.name];
    const agentOf = (file: string) =>
      acp ? `acp:${process.execPath} ${ACP_AGENT} ${file}` : `scripted:${file}`;
    const first = [
      ...["run", taskOf(play), "--create", `--agent=${agentOf(script)}`],
      `--max-iterations=${play.case.max_iterations}`,
      ...(review ? [`--review=${agentOf(reviewer)}`] : []),
      ...play.project.flags,
      ...play.case.flags,
    ];
    const options = { cwd, env: isolatedEnvironment(top), longestMs: LONGEST_MS };
    const run = await commandLine([...first, ...common], options);
    const last = run.signal === "SIGKILL" ? await commandLine(["run", ...common], options) : run;
    const parsed = RunJson.safeParse(jsonOf(last.stdout));
    if (!parsed.success) throw new Error(`The loop told no end: ${last.stderr || last.stdout}`);
    const ending = await endingOf(parsed.data.data);
    return { ...ending, behaves: outputOf(play.case.oracle ?? play.project.oracle, cwd) === "250" };
  } finally {
    await rm(place, { recursive: true, force: true, maxRetries: 5 });
    if (scripts !== place) removeFolder(scripts);
  }
}

const Receipt = z.looseObject({
  passed: z.boolean(),
  reason: z.string(),
  exit_code: z.number().nullable(),
  objections: z.array(z.looseObject({ kind: z.string(), message: z.string() })).default([]),
});

/** The part of the JSON of `ccw-loop run` that tells how a loop ended. */
const RunJson = z.looseObject({
  data: z.looseObject({
    status: z.string(),
    outcome: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
    waiting: z.looseObject({ kind: z.string(), prompt: z.string().nullish() }).nullable(),
    state_file: z.string(),
    receipt: Receipt.nullable(),
  }),
});
type RunData = z.infer<typeof RunJson>["data"];

/** How the command line may leave a loop; anything else (`paused` by an unexpected error) judges nobody. */
const ENDS = ["completed", "failed", "waiting"];

/** How a loop ended. */
export interface Ending {
  /** `completed`, `failed`, or `waiting` for a person. */
  status: string;
  /** The code of the end, or what speaks against the proof. */
  by: string;
  /** In a sentence or two. */
  why: string;
  /** What the tests' exit code alone would have said; null when no test was run. */
  tests_exit: number | null;
  /** Whether the asked-for behaviour is there. */
  behaves: boolean;
  /** What raised the objections of the last receipt. */
  objections: string[];
  /** The steps that the script could not play; then the case itself is wrong. */
  broken: string[];
}

/** Reads the end from the loop's JSON and its journal. */
async function endingOf(data: RunData): Promise<Omit<Ending, "behaves">> {
  const { outcome, waiting, receipt } = data;
  const objections = receipt?.objections ?? [];
  const kinds = [...new Set(objections.map(({ kind }) => kind))];
  const status = waiting && data.status === "running" ? "waiting" : data.status;
  const code = outcome?.code ?? waiting?.kind ?? "no reason";
  const tests = receipt && !receipt.passed ? `: ${receipt.reason}` : "";
  const reasons = [
    outcome?.message ?? waiting?.prompt ?? "",
    tests.slice(2),
    ...objections.map(({ message }) => message),
  ];
  const broken = await brokenSteps(data.state_file);
  if (!ENDS.includes(status)) broken.push(`The loop is ${status}: ${reasons.join(" ")}`);
  return {
    status,
    by: status === "waiting" && kinds.length > 0 ? kinds.join(", ") : code + tests,
    why: reasons.filter(Boolean).join(" · "),
    objections: kinds,
    tests_exit: receipt?.exit_code ?? null,
    broken,
  };
}

/** An action that failed because its script cannot be played is the case's fault. */
async function brokenSteps(stateFile: string): Promise<string[]> {
  const journal = await readFile(stateFile.replace(/\.json$/, ".journal.jsonl"), "utf8");
  const failures = journal
    .split("\n")
    .filter((line) => line.includes('"action.failed"'))
    .flatMap((line) => {
      const text = JSON.stringify(JSON.parse(line));
      return /Cannot replace text[^"]*|The agent script [^"]*/.exec(text)?.[0] ?? [];
    });
  return [...new Set(failures)];
}
