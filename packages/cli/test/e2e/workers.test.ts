/** @module-tag slow */
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { type GitServer, gitServer, processesRunning, tempRepo } from "@ccw-loop/testkit";
import { expect, onTestFinished, test, vi } from "vitest";
import { database } from "../support/database.ts";
import { emptyFolder } from "../support/folder.ts";
import { ccwLoop, isSuspended, type Lines } from "../support/processes.ts";
import { cli } from "../support/run-cli.ts";

vi.setConfig({ testTimeout: 180_000 });

const db = database();

/** Long enough for a process that has to wait for its turn on a busy machine. */
const LEASE_S = 6;
// Everything here is a process of its own, and there may be few cores.
const PATIENCE = { timeout: 60_000, interval: 20 };

const CHECK = `import { readFileSync } from "node:fs";
process.exit(readFileSync("answer", "utf8") === "42" ? 0 : 1);
`;

/** Machines that share a database and a git server. */
interface Fleet {
  server: GitServer;
  /** A running loop whose agent works until `letGo`: each of its turns writes a name of its own, 20 times a second. */
  start(id: string, ...flags: string[]): Promise<void>;
  letGo(): Promise<void>;
  /** Names of the turns in the order in which they wrote; one that was interrupted by another is named twice. */
  atWork(): string[];
  worksOn(): Promise<void>;
  /** A worker with a home, and so with clones, a key and a registry of processes, of its own. */
  worker(...flags: string[]): Worker;
  ccw(...args: string[]): ReturnType<typeof cli>;
  actions(): Promise<string[]>;
  git(...args: string[]): string;
  /** What finds the processes of the agent. */
  tag: string;
}

interface Worker extends Lines {
  pid: number;
  home: string;
  notices(): (string | undefined)[];
}

async function fleet(): Promise<Fleet> {
  const place = db.place();
  vi.stubEnv("CCW_LOOP_STORE", place.whole);
  onTestFinished(() => void vi.unstubAllEnvs());
  const root = emptyFolder();
  const work = await tempRepo({ answer: "0", "check.mjs": CHECK });
  onTestFinished(work.remove);
  const bare = join(root, "shop.git");
  execFileSync("git", ["clone", "--quiet", "--bare", work.path, bare]);
  const server = await gitServer({ root });
  onTestFinished(() => server.stop());
  const [go, beats, tag] = [join(root, "go"), join(root, "beats"), randomUUID()];
  const beat = `id=$(cat /proc/sys/kernel/random/uuid); until [ -e ${go} ]; do echo "$id" >> ${beats}; sleep 0.05; done # ${tag}`;
  const turns = [
    {
      action: "INIT",
      when: "# ACTION: INIT",
      repeat: true,
      answer: { state_updates: { tasks: [{ description: "answer" }] } },
    },
    {
      action: "DEVELOP",
      when: "# ACTION: DEVELOP",
      repeat: true,
      steps: [{ run: beat }, { write: { path: "answer", content: "42" } }],
      answer: { message: "done", state_updates: { summary: "wrote 42" } },
    },
  ];
  await writeFile(join(root, "agent.json"), JSON.stringify({ turns }));
  const ccw = (...args: string[]) => cli(root, args, { CCW_LOOP_STORE: place.whole });
  await ccw("store", "migrate");
  const written = () => (existsSync(beats) ? readFileSync(beats, "utf8").trim().split("\n") : []);
  let count = 0;
  return {
    server,
    tag,
    ccw,
    async start(id, ...flags) {
      const agent = ["--agent", `scripted:${join(root, "agent.json")}`];
      const repository = ["--repository", `${server.url}/shop.git`, "--ref", "main"];
      const given = ["--auto", "--loop-id", id, "--verify", "node check.mjs", ...agent];
      const { code, out, err } = await ccw("start", "x", ...given, ...repository, ...flags);
      expect(code, err).toBe(0);
      expect(out).toContain("A worker drives it: ccw-loop worker");
    },
    letGo: () => writeFile(go, ""),
    atWork: () => written().filter((id, at, all) => id !== all[at - 1]),
    async worksOn() {
      const before = written().length;
      await vi.waitFor(() => expect(written().length).toBeGreaterThan(before + 5), PATIENCE);
    },
    worker(...flags) {
      count += 1;
      const home = join(root, `machine-${count}`);
      mkdirSync(home);
      const lines = ccwLoop(home, "worker", "--events", "--lease", `${LEASE_S}s`, ...flags);
      const notices = () => lines.records.map(({ record }) => record.type);
      return Object.assign(lines, { pid: lines.child.pid ?? 0, home, notices });
    },
    async actions() {
      const { out } = await ccw("timeline", "a", "--json");
      const { data } = JSON.parse(out);
      return data.timeline.map((one: { action: string }) => one.action);
    },
    git: (...args) => execFileSync("git", args, { cwd: bare, encoding: "utf8" }).trim(),
  };
}

async function stateOf({ ccw }: Fleet) {
  return JSON.parse((await ccw("show", "a", "--json")).out).data.loop;
}

async function ended(here: Fleet): Promise<void> {
  await vi.waitFor(async () => {
    const { status, waiting, outcome } = await stateOf(here);
    expect({ status, waiting, outcome }).toMatchObject({ outcome: { code: "proven" } });
  }, PATIENCE);
}

const taken = (one: Worker) =>
  vi.waitFor(() => expect(one.notices()).toContain("loop.taken"), PATIENCE);

test("kill -9 in the middle of an action: the other machine takes over when the lease ends, and proves", async () => {
  const here = await fleet();
  await here.start("a");
  const workers = [here.worker(), here.worker()];
  await here.worksOn();
  const [first, second] = workers.toSorted((one) =>
    one.notices().includes("loop.taken") ? -1 : 1,
  );
  if (!first || !second) throw new Error("There are two.");
  const why = await here.ccw("why", "a");
  expect(why.out).toContain(`worker:${hostname()}:${first.pid}`);
  expect(why.out).toContain(`on ${hostname()}, in ${first.home}/.cache/ccw-loop/loops/a-`);
  const from = performance.now();
  await ccwLoop(first.home, "list", "--json").ended;
  const startUp = performance.now() - from;
  first.child.kill("SIGKILL");
  const killed = performance.now();
  await taken(second);
  const took = performance.now() - killed;
  console.log(`kill -9 → taken over: ${Math.round(took)} ms with a lease of ${LEASE_S} s`);
  await here.worksOn();
  expect(here.atWork()).toHaveLength(2);
  await here.letGo();
  await ended(here);
  expect(here.git("show", "ccw-loop/a:answer")).toBe("42");
  const { checkpoints, workspace } = await stateOf(here);
  for (const { commit } of checkpoints) expect(here.git("cat-file", "-t", commit)).toBe("commit");
  expect(workspace.path).toContain(second.home);
  expect(await here.actions()).toEqual(["INIT", "DEVELOP", "DEVELOP", "VALIDATE", "COMPLETE"]);
  second.child.kill("SIGTERM");
  expect(await second.ended).toBe(0);
  // Within its lease, and two seconds of looking; a list takes 0.5 s on an idle machine, and a busy one gets as much more time.
  expect(took).toBeLessThan(LEASE_S * 1000 + Math.max(2000, startUp * 6));
});

test.runIf(process.platform === "linux")(
  "a worker that is suspended past its lease is fenced, and its agent ends before that of the next one begins",
  async () => {
    const here = await fleet();
    await here.start("a");
    const first = here.worker();
    await here.worksOn();
    process.kill(first.pid, "SIGSTOP");
    await vi.waitFor(() => expect(isSuspended(first.pid)).toBe(true), PATIENCE);
    const second = here.worker();
    await taken(second);
    await here.worksOn();
    expect(here.atWork()).toHaveLength(2);
    expect(isSuspended(first.pid)).toBe(true);
    process.kill(first.pid, "SIGCONT");
    await vi.waitFor(() => expect(first.notices()).toContain("loop.lost"), PATIENCE);
    await here.worksOn();
    expect(here.atWork()).toHaveLength(2);
    await here.letGo();
    await ended(here);
    for (const one of [first, second]) one.child.kill("SIGTERM");
    expect(await Promise.all([first.ended, second.ended])).toEqual([0, 0]);
    expect(processesRunning(here.tag)).toEqual([]);
  },
);

test("a git server that is away puts the loop off before a turn is paid, and it goes on when it is back", async () => {
  const here = await fleet();
  await here.letGo();
  await here.start("a");
  await here.server.stop();
  const worker = here.worker();
  await vi.waitFor(() => expect(worker.notices()).toContain("loop.put_off"), PATIENCE);
  expect(await here.actions()).toEqual([]);
  await here.server.start();
  await ended(here);
  worker.child.kill("SIGTERM");
  expect(await worker.ended).toBe(0);
});

test("a loop that needs labels is left to the worker that has them", async () => {
  const here = await fleet();
  await here.letGo();
  const plain = here.worker("--labels", "linux");
  await here.start("a", "--needs", "linux,gpu");
  await here.start("b", "--needs", "linux");
  await vi.waitFor(() => expect(plain.notices()).toContain("loop.given_back"), PATIENCE);
  expect((await here.ccw("why", "a")).out).toContain("a worker with the labels linux, gpu");
  const fitting = here.worker("--labels", "linux,arm", "--labels", "gpu");
  await ended(here);
  for (const one of [plain, fitting]) one.child.kill("SIGTERM");
  await Promise.all([plain.ended, fitting.ended]);
  const took = (worker: Worker) =>
    worker.records.flatMap(({ record }) => (record.type === "loop.taken" ? [record.id] : []));
  expect([took(plain), took(fitting)]).toEqual([["b"], ["a"]]);
});

test.for([
  { how: "lets the running action end", flags: [], again: ["DEVELOP"] },
  {
    how: "cuts it off where it has no time",
    flags: ["--drain", "0"],
    again: ["DEVELOP", "DEVELOP"],
  },
])("SIGTERM $how, and another worker goes on", async ({ flags, again }) => {
  const here = await fleet();
  await here.start("a");
  const first = here.worker(...flags);
  await here.worksOn();
  first.child.kill("SIGTERM");
  await vi.waitFor(() => expect(first.notices()).toContain("drain.started"), PATIENCE);
  if (flags.length === 0) await here.worksOn();
  else expect(await first.ended).toBe(0);
  await here.letGo();
  expect(await first.ended).toBe(0);
  const { status } = await stateOf(here);
  expect(status).toBe("running");
  const second = here.worker();
  await ended(here);
  expect(await here.actions()).toEqual(["INIT", ...again, "VALIDATE", "COMPLETE"]);
  second.child.kill("SIGTERM");
  expect(await second.ended).toBe(0);
});

test("a worker without a shared store is refused, with what to name", async () => {
  const home = emptyFolder();
  const { code, err } = await cli(home, ["worker"], { CCW_LOOP_STORE: "", HOME: home });
  expect([code, err]).toEqual([2, expect.stringContaining("Name it with --store postgres://")]);
});
