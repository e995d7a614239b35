/**
 * The same job in a plain shell loop and on the built command line, in turns in one run: six edits of a shopping cart, its
 * tests after each, in a git repository. The agent of both is one program that copies the next version of the file and says
 * that it is done. Printed are time, CPU of all processes, the memory of the command line's own process, and processes
 * started (only where strace is installed). The final proof, which the shell loop does not have, is counted apart: it is
 * the VALIDATE that ends the loop, less one run of the tests. Run: `node quality/bench/cli/job.ts [rounds]`
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { builtCopy } from "../../../packages/cli/scripts/built-copy.ts";
import { isolatedEnvironment } from "../../support/environment.ts";
import { machine, median } from "../../support/figures.ts";
import { makeRepository, temporaryFolder } from "../../support/folders.ts";

const ROUNDS = Number(process.argv[2] ?? 7);
const TASK = "Mend the failing tests of the shopping cart.";
const SAMPLE_MS = 10;

/** Each mends one more test; the last one all. */
const BODIES = {
  subtotal: ["items[0].price", "sum(items, (one) => one.price)", "cents(sum(items, priceOf))"],
  total: ["subtotal(items)", "subtotal(items) - off", "cents(subtotal(items) - off)"],
  label: ['""', "String(total(items))", "total(items).toFixed(2)"],
};
const PARTS = [
  [1, 0, 0],
  [2, 0, 0],
  [2, 1, 0],
  [2, 2, 0],
  [2, 2, 1],
  [2, 2, 2],
] as const;

function cart([subtotal, total, label]: readonly [number, number, number]): string {
  return `const priceOf = (one) => one.price * one.quantity;
const sum = (items, of) => items.reduce((all, one) => all + of(one), 0);
const cents = (amount) => Math.round(amount * 100) / 100;
export function subtotal(items) {
  return ${BODIES.subtotal[subtotal]};
}
export function total(items, { percent = 0 } = {}) {
  const off = (subtotal(items) * percent) / 100;
  return ${BODIES.total[total]};
}
export function label(items) {
  return ${BODIES.label[label]};
}
`;
}

const TESTS = `import assert from "node:assert/strict";
import { test } from "node:test";
import { label, subtotal, total } from "../src/cart.js";

const mug = { price: 12.5, quantity: 1 };
const cup = { price: 7.25, quantity: 1 };
const sticker = { price: 0.1, quantity: 3 };
const book = { price: 9.99, quantity: 1 };

test("two things cost their sum", () => assert.equal(subtotal([mug, cup]), 19.75));
test("three stickers cost 0.30", () => assert.equal(subtotal([sticker]), 0.3));
test("a coupon takes its percentage off", () => assert.equal(total([mug], { percent: 20 }), 10));
test("a discounted price is in whole cents", () => assert.equal(total([book], { percent: 15 }), 8.49));
test("a label shows the price", () => assert.equal(label([cup]), "7.25"));
test("a label has two digits", () => assert.equal(label([mug]), "12.50"));
`;

const base = temporaryFolder("job");
const launcher = await builtCopy(join(base, "cli"));

/** A new project, and the program that makes its next edit. */
function project(name: string): { dir: string; agent: string; env: NodeJS.ProcessEnv } {
  const top = join(base, name);
  const dir = join(top, "project");
  for (const folder of ["src", "test"]) mkdirSync(join(dir, folder), { recursive: true });
  writeFileSync(
    join(dir, "package.json"),
    JSON.stringify({ type: "module", private: true, scripts: { test: "node --test" } }),
  );
  writeFileSync(join(dir, "src/cart.js"), cart([0, 0, 0]));
  writeFileSync(join(dir, "test/cart.test.js"), TESTS);
  makeRepository(dir, "begin");
  PARTS.forEach((parts, n) => {
    writeFileSync(join(top, `edit-${n + 1}`), cart(parts));
  });
  const agent = join(top, "agent.sh");
  const lines = [
    `n=$(cat ${top}/n 2>/dev/null || echo 0)`,
    "n=$((n + 1))",
    `echo $n >${top}/n`,
    `[ -f ${top}/edit-$n ] && cp ${top}/edit-$n src/cart.js`,
    "echo Done.",
  ];
  writeFileSync(agent, `${lines.join("\n")}\n`);
  return { dir, agent, env: isolatedEnvironment(top) };
}

interface Kind {
  name: string;
  /** The shell command that does the job. */
  command: (agent: string, top: string) => string;
}

const run = (agent: string) => [{ run: `sh ${agent}` }];

/** DEBUG's own turn makes the next edit, as an agent does that sees the cause at once. */
function script(agent: string): object {
  const tasks = [{ description: TASK }];
  const answer = { message: "Done.", state_updates: { summary: "Done." } };
  const debugged = { message: "Done.", state_updates: { understanding: "Done." } };
  return {
    turns: [
      { action: "INIT", answer: { state_updates: { tasks } } },
      { action: "DEVELOP", when: "# ACTION: DEVELOP", repeat: true, steps: run(agent), answer },
      { action: "DEBUG", when: "# ACTION: DEBUG PROBES", repeat: true, answer: debugged },
      {
        action: "DEBUG",
        when: "# ACTION: DEBUG",
        repeat: true,
        steps: run(agent),
        answer: debugged,
      },
      { action: "DEVELOP", repeat: true, answer },
    ],
  };
}

const KINDS: Kind[] = [
  {
    name: "shell loop",
    command: (agent) =>
      `until npm test >/dev/null 2>&1; do sh ${agent} >/dev/null; [ $(cat $(dirname ${agent})/n) -gt 12 ] && exit 1; done; exit 0`,
  },
  {
    name: "ccw-loop",
    command(agent, top) {
      const file = join(top, "script.json");
      writeFileSync(file, JSON.stringify(script(agent)));
      const words = ["run", "--auto", "--agent", `scripted:${file}`, "--max-iterations", "30"];
      return [process.execPath, launcher, ...words, "--events", `'${TASK}'`].join(" ");
    },
  },
];

/** Seconds, and MB. */
interface Sample {
  wall: number;
  cpu: number;
  memory: number;
  /** What the VALIDATE that proves takes more than the ones before. */
  proof: number;
}

/** One job in a new project; the memory is that of the process with the most of it. */
async function job({ name, command }: Kind, round: number | string): Promise<Sample> {
  const { dir, agent, env } = project(`${name.replaceAll(" ", "-")}-${round}`);
  const begin = performance.now();
  const shell = `(${command(agent, join(dir, ".."))})\ncode=$?; times >&2; exit $code`;
  const child = spawn("/bin/bash", ["-c", shell], {
    cwd: dir,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [output, errors, memory] = ["", "", 0];
  child.stdout.on("data", (data) => (output += data));
  child.stderr.on("data", (data) => (errors += data));
  const ended = once(child, "close");
  let running = true;
  void ended.then(() => (running = false));
  while (running) {
    memory = Math.max(memory, highestMemory(child.pid ?? 0));
    await Promise.race([sleep(SAMPLE_MS), ended]);
  }
  const wall = performance.now() - begin;
  const [code] = await ended;
  const edits = existsSync(join(dir, "../n")) ? Number(readFileSync(join(dir, "../n"), "utf8")) : 0;
  if (code !== 0 || edits < PARTS.length)
    throw new Error(
      `${name} ended with ${code} after ${edits} edits: ${errors}\n${output.slice(-2000)}`,
    );
  const [, user, system] = /(\d+m[\d.]+s) (\d+m[\d.]+s)\s*$/.exec(errors) ?? [];
  const proof = proofOf(output);
  return { wall: wall / 1000, cpu: seconds(user) + seconds(system), memory, proof };
}

function proofOf(events: string): number {
  const took = events.split("\n").flatMap((line) => {
    const event = line.includes('"action.completed"') ? JSON.parse(line).recorded?.event : null;
    return event?.action === "VALIDATE" ? [Number(event.active_ms)] : [];
  });
  const last = took.pop();
  return last === undefined ? 0 : (last - median(took)) / 1000;
}

function seconds(text = ""): number {
  const [, minutes = "0", rest = "0"] = /(\d+)m([\d.]+)s/.exec(text) ?? [];
  return Number(minutes) * 60 + Number(rest);
}

/** In MB, of the one child of the shell that has used the most. */
function highestMemory(shell: number): number {
  try {
    const children = readFileSync(`/proc/${shell}/task/${shell}/children`, "utf8").trim();
    const most = children.split(" ").map((pid) => {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1000;
    });
    return Math.max(0, ...most);
  } catch {
    return 0;
  }
}

/** Processes started, by program; null without strace. */
function processesOf({ name, command }: Kind): Map<string, number> | null {
  if (spawnSync("strace", ["-V"]).status !== 0) return null;
  const { dir, agent, env } = project(`${name.replaceAll(" ", "-")}-traced`);
  const trace = join(base, "trace");
  const args = ["-f", "-qq", "--seccomp-bpf", "-s", "200", "-e", "trace=execve", "-o", trace];
  execFileSync("strace", [...args, "/bin/bash", "-c", command(agent, join(dir, ".."))], {
    ...{ cwd: dir, env, stdio: "ignore" },
  });
  const programs = new Map<string, number>();
  for (const line of readFileSync(trace, "utf8").split("\n")) {
    const [, path, args] = /execve\("([^"]+)", \[(.*)\].*= 0$/.exec(line) ?? [];
    if (!path) continue;
    const program = path.split("/").at(-1) ?? path;
    const verb = program === "git" ? ` ${/"git", "([^"]+)"/.exec(args ?? "")?.[1]}` : "";
    programs.set(program + verb, (programs.get(program + verb) ?? 0) + 1);
  }
  return programs;
}

const samples = new Map<Kind, Sample[]>(KINDS.map((kind) => [kind, []]));
for (let round = -1; round < ROUNDS; round++) {
  for (const kind of KINDS) {
    const sample = await job(kind, round);
    if (round >= 0) samples.get(kind)?.push(sample);
  }
}
console.log(`machine: ${machine()}`);
for (const [{ name }, all] of samples) {
  const of = (key: keyof Sample) => median(all.map((one) => one[key]));
  const work = median(all.map(({ wall, proof }) => wall - proof));
  console.log(
    `${name.padEnd(12)} ${of("wall").toFixed(2)} s (${work.toFixed(2)} s without the proof), ` +
      `CPU ${of("cpu").toFixed(2)} s, ${of("memory").toFixed(0)} MB`,
  );
}
for (const kind of KINDS) {
  const programs = processesOf(kind);
  if (programs === null) break;
  const total = [...programs.values()].reduce((sum, n) => sum + n, 0);
  const listed = [...programs].sort((a, b) => b[1] - a[1]).map(([name, n]) => `${n} × ${name}`);
  console.log(`${kind.name}: ${total} programs started: ${listed.join(", ")}`);
}
