/**
 * The same job in a plain shell loop and on the built command line, in turns in one run: six edits of a shopping cart, its
 * tests after each, in a git repository. The agent of both is one program that copies the next version of the file and says
 * that it is done. Printed are time, CPU of all processes, the memory of the command line's own process, and processes
 * started (only where strace is installed). The final proof, which the shell loop does not have, is counted apart in each of
 * them: it is the VALIDATE that ends the loop, less what the ones before took. Run: `node quality/bench/cli/job.ts [rounds]`
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtCopy } from "../../../packages/cli/scripts/built-copy.ts";
import { machine, median } from "../../support/figures.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { cpuBelow, type Measured, measured } from "../../support/measured.ts";
import { editingScript } from "../../support/script.ts";
import { PARTS, project } from "./support/cart-project.ts";

const ROUNDS = Number(process.argv[2] ?? 7);
const TASK = "Mend the failing tests of the shopping cart.";

const base = temporaryFolder("job");
const launcher = await builtCopy(join(base, "cli"));

interface Kind {
  name: string;
  /** The shell command that does the job. */
  command: (agent: string, top: string) => string;
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
      writeFileSync(file, JSON.stringify(editingScript(TASK, `sh ${agent}`, "Done.")));
      const words = ["run", "--auto", "--agent", `scripted:${file}`, "--max-iterations", "30"];
      return [process.execPath, launcher, ...words, "--events", `'${TASK}'`].join(" ");
    },
  },
];

interface Sample extends Pick<Measured, "wall" | "cpu" | "memory"> {
  /** What the VALIDATE that proves takes more than the ones before: seconds, and seconds of CPU. */
  proof: number;
  proofCpu: number;
}

/** One job in a new project. */
async function job({ name, command }: Kind, round: number | string): Promise<Sample> {
  const { dir, agent, env } = project(base, `${name.replaceAll(" ", "-")}-${round}`);
  const marks: { line: string; cpu: number }[] = [];
  const { exit, stdout, stderr, ...took } = await measured(command(agent, join(dir, "..")), {
    ...{ cwd: dir, env },
    onLine(line, shell) {
      if (isValidate(line)) marks.push({ line, cpu: cpuBelow(shell) });
    },
  });
  const edits = existsSync(join(dir, "../n")) ? Number(readFileSync(join(dir, "../n"), "utf8")) : 0;
  if (exit !== 0 || edits < PARTS.length)
    throw new Error(
      `${name} ended with ${exit} after ${edits} edits: ${stderr}\n${stdout.slice(-2000)}`,
    );
  return { ...took, proof: proofOf(stdout), proofCpu: moreOfLast(cpusOf(marks, took.cpu)) };
}

/** Whether a line of events tells that a VALIDATE began or ended. */
function isValidate(line: string): boolean {
  return /"action\.(started|completed)"/.test(line) && line.includes('"action":"VALIDATE"');
}

/** CPU of each VALIDATE; of the last one, whose processes may be waited for later, up to the end. */
function cpusOf(marks: readonly { line: string; cpu: number }[], total: number): number[] {
  const begun = marks.filter(({ line }) => line.includes('"action.started"'));
  const ended = marks.filter(({ line }) => line.includes('"action.completed"'));
  return begun.map(({ cpu }, n) => (n === begun.length - 1 ? total : (ended[n]?.cpu ?? cpu)) - cpu);
}

/** How much more the last one is than the median of those before; 0 where there is none. */
function moreOfLast(values: readonly number[]): number {
  const last = values.at(-1);
  return last === undefined ? 0 : last - median(values.slice(0, -1));
}

function proofOf(events: string): number {
  const took = events.split("\n").flatMap((line) => {
    const event = line.includes('"action.completed"') ? JSON.parse(line).recorded?.event : null;
    return event?.action === "VALIDATE" ? [Number(event.active_ms)] : [];
  });
  return moreOfLast(took) / 1000;
}

interface Started {
  programs: Map<string, number>;
  /** How many the VALIDATE that proves starts more than the ones before. */
  proof: number;
}

/** Processes started, by program; null without strace. */
function processesOf({ name, command }: Kind): Started | null {
  if (spawnSync("strace", ["-V"]).status !== 0) return null;
  const { dir, agent, env } = project(base, `${name.replaceAll(" ", "-")}-traced`);
  const trace = join(base, "trace");
  const args = ["-f", "-ttt", "-qq", "--seccomp-bpf", "-s", "200", "-e", "trace=execve"];
  const traced = [...args, "-o", trace, "/bin/bash", "-c", command(agent, join(dir, ".."))];
  const output = execFileSync("strace", traced, {
    ...{ cwd: dir, env, stdio: ["ignore", "pipe", "ignore"], encoding: "utf8" },
  });
  const begun: number[] = [];
  const ended: number[] = [];
  for (const line of output.split("\n").filter(isValidate)) {
    const { type, at } = JSON.parse(line).recorded.event;
    (type === "action.started" ? begun : ended).push(Date.parse(at) / 1000);
  }
  const perRun = begun.map(() => 0);
  const programs = new Map<string, number>();
  for (const line of readFileSync(trace, "utf8").split("\n")) {
    const [, path, args] = /execve\("([^"]+)", \[(.*)\].*= 0$/.exec(line) ?? [];
    if (!path) continue;
    const program = path.split("/").at(-1) ?? path;
    const verb = program === "git" ? ` ${/"git", "([^"]+)"/.exec(args ?? "")?.[1]}` : "";
    programs.set(program + verb, (programs.get(program + verb) ?? 0) + 1);
    const at = Number(/^\d+ +([\d.]+) /.exec(line)?.[1]);
    const run = begun.findLastIndex((time) => time <= at);
    if (run >= 0 && at <= (ended[run] ?? at)) perRun[run] = (perRun[run] ?? 0) + 1;
  }
  return { programs, proof: moreOfLast(perRun) };
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
  const workCpu = median(all.map(({ cpu, proofCpu }) => cpu - proofCpu));
  console.log(
    `${name.padEnd(12)} ${of("wall").toFixed(2)} s (${work.toFixed(2)} s without the proof), ` +
      `CPU ${of("cpu").toFixed(2)} s (${workCpu.toFixed(2)} s), ${of("memory").toFixed(0)} MB`,
  );
}
for (const kind of KINDS) {
  const started = processesOf(kind);
  if (started === null) break;
  const { programs, proof } = started;
  const total = [...programs.values()].reduce((sum, n) => sum + n, 0);
  const listed = [...programs].sort((a, b) => b[1] - a[1]).map(([name, n]) => `${n} × ${name}`);
  const without = `${total - proof} without the proof`;
  console.log(`${kind.name}: ${total} programs started (${without}): ${listed.join(", ")}`);
}
