import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LoopState, RecordedEvent } from "@ccw-loop/core";
import {
  type ModelRequest,
  type ModelServer,
  type ModelStep,
  message,
  offlineCodexHome,
  runCommand,
  startModelServer,
  tempRepo,
} from "@ccw-loop/testkit";
import { onTestFinished } from "vitest";

const BIN = fileURLToPath(new URL("../../bin/ccw-loop.js", import.meta.url));
const CART = fileURLToPath(new URL("../../demo/cart", import.meta.url));

const HALF = `export function subtotal(items) {
  let sum = 0;
  for (const item of items) sum += item.price * item.quantity;
  return sum;
}
export function total(items, coupon = { percent: 0 }) {
  return subtotal(items) * (1 - coupon.percent / 100);
}
`;
const WHOLE = `const cents = (items) =>
  items.reduce((sum, item) => sum + Math.round(item.price * 100) * item.quantity, 0);
export const subtotal = (items) => cents(items) / 100;
export const total = (items, coupon = { percent: 0 }) =>
  Math.round(cents(items) * (1 - coupon.percent / 100)) / 100;
`;

/** The cart of the demo in a repository, the real Codex, and a model that repairs it in two tries. */
export interface CodexProject {
  dir: string;
  model: ModelServer;
  /** The command that a slow project sleeps in; no other process of the machine has the same. */
  nap: string;
  /** Starts `ccw-loop ARGS` in the project. */
  cli(...args: string[]): Run;
  state(id: string): LoopState;
  journal(id: string): RecordedEvent[];
  progress(id: string): string[];
}

/** A run of the command line; `ended` resolves with its exit code, or null when a signal ended it. */
export interface Run {
  child: ChildProcess;
  stdout: () => string;
  stderr: () => string;
  ended: Promise<number | null>;
}

/** `slow`: the first DEVELOP turn creates the file `started` and sleeps before it does anything. */
export async function codexProject({ slow = false } = {}): Promise<CodexProject> {
  const repo = await tempRepo(filesOf(CART));
  const nap = `sleep ${(60 + Math.random()).toFixed(9)}`;
  const model = await startModelServer({
    script: (request) => play(request, slow ? nap : undefined),
  });
  const home = await offlineCodexHome(model.baseUrl);
  const running = new Set<ChildProcess>();
  onTestFinished(async () => {
    for (const child of running) child.kill("SIGKILL");
    await model.close();
    await repo.remove();
    await home.remove();
  });
  const loops = join(repo.path, ".workflow", ".loop");
  const read = (name: string) => readFileSync(join(loops, name), "utf8");
  return {
    dir: repo.path,
    model,
    nap,
    cli: (...args) => {
      const env = { ...process.env, ...home.env, NO_COLOR: "1" };
      const run = start([BIN, ...args], repo.path, env);
      running.add(run.child);
      run.child.on("exit", () => running.delete(run.child));
      return run;
    },
    state: (id) => LoopState.parse(JSON.parse(read(`${id}.json`))),
    journal: (id) =>
      read(`${id}.journal.jsonl`)
        .trim()
        .split("\n")
        .map((line) => RecordedEvent.parse(JSON.parse(line))),
    progress: (id) => readdirSync(join(loops, `${id}.progress`)).sort(),
  };
}

function start(args: string[], cwd: string, env: NodeJS.ProcessEnv): Run {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (data: Buffer) => {
    stdout += data.toString();
  });
  child.stderr.on("data", (data: Buffer) => {
    stderr += data.toString();
  });
  const ended = once(child, "close").then(([code]) => code as number | null);
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}

function filesOf(folder: string, prefix = ""): Record<string, string> {
  const files: Record<string, string> = {};
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) Object.assign(files, filesOf(path, `${prefix}${name}/`));
    else files[`${prefix}${name}`] = readFileSync(path, "utf8");
  }
  return files;
}

/** What the model says: by the action that the last prompt names, and what the tools answered since. */
function play(request: ModelRequest, nap: string | undefined): ModelStep {
  const prompt = request.userTexts.at(-1) ?? "";
  const done = answersSincePrompt(request);
  const action = /# ACTION: (\S+)(?: (\S+))?/.exec(prompt);
  switch (`${action?.[1]} ${action?.[2] ?? ""}`.trim()) {
    case "INIT":
      return final("INIT", "One task.", { tasks: [{ description: "Repair the cart" }] });
    case "DEVELOP task-001":
      if (nap && done === 0 && !prompt.includes("cut off")) {
        return { items: [runCommand(`touch started; ${nap}`)] };
      }
      return done === 0
        ? { items: [write(HALF)] }
        : final("DEVELOP", "Quantities and coupons.", { summary: "Quantities and coupons." });
    case "DEBUG":
      return final("DEBUG", "One suspicion.", DEBUG_UPDATES);
    case "DEBUG VERDICT":
      return final("DEBUG", "Fractions of a euro.", VERDICT_UPDATES);
    case "DEVELOP fix-001":
      return done === 0
        ? { items: [write(WHOLE)] }
        : final("DEVELOP", "Whole cents.", { summary: "Whole cents." });
    default:
      return final("DEVELOP", `Unexpected prompt: ${prompt.slice(0, 80)}`, {}, "failed");
  }
}

const DEBUG_UPDATES = {
  active_bug: "Totals are a fraction of a cent off",
  understanding: "0.1 has no exact binary form.",
  hypotheses: [
    {
      id: "H1",
      description: "Money is added in fractions of a euro",
      testable_condition: "0.1 * 3 is not 0.3",
      logging_point: "src/cart.js:subtotal:3",
      evidence_criteria: { confirm: "more than two decimals", reject: "0.3" },
      likelihood: 1,
      explains: [],
      probe: { command: "node -e 'console.log(0.1 * 3)'", prediction: "more than two decimals" },
      status: "pending",
      verdict_reason: null,
      claimed_evidence: null,
    },
  ],
  confirmed_hypothesis: null,
  fix_tasks: [],
};

const VERDICT_UPDATES = {
  ...DEBUG_UPDATES,
  hypotheses: DEBUG_UPDATES.hypotheses.map((idea) => ({
    ...idea,
    probe: null,
    status: "confirmed",
    verdict_reason: "Printed with seventeen decimals.",
  })),
  confirmed_hypothesis: "H1",
  fix_tasks: [{ description: "Calculate in whole cents" }],
};

function write(content: string) {
  return runCommand(`cat > src/cart.js <<'END'\n${content}END`);
}

function final(
  action: string,
  text: string,
  state_updates: Record<string, unknown>,
  status = "success",
): ModelStep {
  const result = {
    action,
    status,
    message: text,
    state_updates,
    files_updated: [],
    next_action_needed: "NONE",
  };
  return { items: [message(JSON.stringify(result), "final_answer")] };
}

function answersSincePrompt({ body }: ModelRequest): number {
  const last = body.input.findLastIndex((item) => item.role === "user");
  return body.input.slice(last).filter((item) => item.type?.endsWith("_output")).length;
}
