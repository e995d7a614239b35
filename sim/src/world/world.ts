import type { LoopStore } from "../../../packages/core/src/index.ts";
import { type LocalLoops, loopService } from "../../../packages/orchestrator/src/index.ts";
import { createStore } from "../../../packages/store-fs/src/fs-store.ts";
import {
  type DiskCall,
  type DiskFault,
  deathByChance,
  faultByChance,
  faultyDisk,
  type Random,
  seededRandom,
} from "../../../packages/testkit/src/index.ts";
import { cutPower } from "../disk/power-cut.ts";
import { processDisk } from "../disk/process-disk.ts";
import { SimFiles } from "../disk/sim-files.ts";
import type { SimEvent, Tally } from "../judge/events.ts";
import { Feeds } from "../judge/feeds.ts";
import { Ledger } from "../judge/ledger.ts";
import { Readers } from "../judge/readers.ts";
import { Project, worktreesIn } from "../ports/project.ts";
import { simAgent } from "../ports/sim-agent.ts";
import { noFiles } from "../ports/sim-files-port.ts";
import { simVerifier } from "../ports/sim-verifier.ts";
import { Children } from "./children.ts";
import { epochOf, loopOf, Moments, momentOf } from "./moments.ts";
import { Scheduler } from "./scheduler.ts";
import { clockOf, machineOf } from "./sim-machine.ts";
import { Died, SimProcess } from "./sim-process.ts";
import { Trace } from "./trace.ts";
import { Watchers } from "./watchers.ts";

export const ROOT = "/p";
/** The wall clock when the machine was first started. */
const BEGIN = Date.parse("2030-01-01T00:00:00.000Z");
const LOOKING = new Set(["read", "readBytes", "list", "listLarge"]);

/** How many revisions stay whole: so few that loops of some minutes let go of older ones. */
const KEEP = 8;
const TRIMMED_LATELY_MS = 2000;

/** A process with what runs in it. */
export interface Running {
  process: SimProcess;
  store: LoopStore;
  service: LocalLoops;
}

/** One machine with its disk, its processes and its time: everything that a seed decides lives here. */
export class World {
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly trace: Trace;
  readonly files: SimFiles;
  readonly watchers: Watchers;
  readonly children: Children;
  /** By the folder in which a loop works. */
  readonly projects = new Map<string, Project>();
  readonly ledger: Ledger;
  readonly feeds: Feeds;
  readonly readers: Readers;
  readonly moments = new Moments();
  /** What happened so far that makes the seed worth something. */
  readonly tally: Tally = {};
  readonly processes: SimProcess[] = [];
  /** The time to live of leases. */
  readonly ttl: number;
  boot = 1;
  /** The widest bounds of each loop that anybody asked for. */
  readonly bounds = new Map<string, { iterations: number; turns: number }>();
  /** False once everything is healed: from then on nothing goes wrong. */
  troubled = true;
  /** When an old revision was last let go of. */
  #trimmedAt = -1e9;
  #jumped = 0;
  #pids = 100;

  constructor(seed: number) {
    this.random = seededRandom(seed);
    this.scheduler = new Scheduler(this.random);
    this.trace = new Trace(() => this.scheduler.now);
    this.files = new SimFiles(() => this.wall());
    this.watchers = new Watchers(this.files, this.scheduler, this.random);
    this.children = new Children(this.scheduler, this.random);
    const make = () => new Project(this.scheduler, this.random, worktrees);
    const worktrees = worktreesIn(this.projects, this.random.chance(0.6) ? make : null);
    this.projects.set(ROOT, make());
    this.ttl = this.random.pick([1200, 3000, 15_000]);
    this.ledger = new Ledger(this);
    this.feeds = new Feeds(this.ledger);
    this.readers = new Readers(this);
    this.files.makeFolder(ROOT);
    this.files.beginSync("/")();
  }

  /** The files of a loop; of one without a worktree those of the project. */
  projectAt(folder = ROOT): Project {
    const found = this.projects.get(folder);
    if (!found) throw new TypeError(`There is no folder ${folder}.`);
    return found;
  }

  wall(): number {
    return BEGIN + Math.floor(this.scheduler.now + this.#jumped);
  }

  count(event: SimEvent): void {
    this.tally[event] = (this.tally[event] ?? 0) + 1;
  }

  jump(ms: number): void {
    if (this.ledger.leases.isAnyHeld) this.count("jump of the clock while a lease is held");
    this.#jumped += ms;
    this.trace.note(`clock jumps by ${ms}`);
  }

  /** Does something at a later moment, outside of any process. */
  after(ms: number, act: () => void): void {
    this.scheduler.post(null, ms, act);
  }

  spawn(name: string): Running {
    this.#pids += 1;
    const process = new SimProcess(`${name}-${this.#pids}`, this.#pids, this.boot);
    this.processes.push(process);
    this.trace.note(`begin ${process.name}`);
    const store = this.ledger.recorded(this.#store(process), process);
    const clock = clockOf(this.scheduler, () => this.wall(), process);
    const { children } = this;
    const service = loopService({
      store,
      agent: async () => simAgent(this, process),
      verifier: simVerifier(this, process),
      workspace: async (folder) => this.projectAt(folder).workspace(process),
      cwd: ROOT,
      files: { ...noFiles, isFolder: async (path) => this.projects.has(path) },
      clock,
      random: () => this.random.next(),
      owner: process.name,
      leaseTtlMs: this.ttl,
      verifyTimeoutMs: 60_000,
      endEarlier: (scope) => children.endEarlier(process, scope),
    });
    return { process, store, service };
  }

  kill(process: SimProcess): void {
    if (!process.alive) return;
    const commits = [...process.commits];
    if (commits.length > 0) this.count("kill in the middle of a commit");
    if (commits.some(({ hasNumber }) => hasNumber))
      this.count("kill of a writer whose commit has its number");
    if (this.children.of(process).length > 0) {
      this.count("kill of an owner while something works for it");
    }
    process.alive = false;
    process.held = [];
    process.isReliable = false;
    this.trace.note(`kill ${process.name}`);
    this.children.ownerDied(process);
    process.whenDead();
  }

  suspend(process: SimProcess): void {
    if (!process.runs) return;
    process.suspended = true;
    process.isReliable = false;
    this.trace.note(`suspend ${process.name}`);
  }

  /** SIGTERM: it is asked to end in good order. */
  terminate(process: SimProcess): void {
    if (this.children.of(process).length > 0) this.count("SIGTERM while something works");
    this.trace.note(`terminate ${process.name}`);
    this.scheduler.post(process, 0, () => process.terminated.abort("terminated"));
  }

  whenDead(process: SimProcess, act: () => void): void {
    process.whenDead = act;
  }

  wake(process: SimProcess): void {
    if (!process.alive || !process.suspended) return;
    process.suspended = false;
    process.wokenAt = this.scheduler.now;
    if (this.ledger.leases.hasLost(process))
      this.count("owner that wakes when its lease is another's");
    this.trace.note(`wake ${process.name}`);
    for (const run of process.held.splice(0)) this.scheduler.post(process, 0, run);
  }

  /** Everything dies; what was not synced may be gone. */
  cutPower(): void {
    this.trace.note("power cut");
    this.count("power cut");
    if (this.scheduler.now - this.#trimmedAt < TRIMMED_LATELY_MS) {
      this.count("power cut behind an old revision let go of");
    }
    const before = numberedCommits(this.files);
    for (const process of this.processes) this.kill(process);
    for (const child of this.children.living()) this.children.kill(child);
    cutPower(this.files, this.random);
    if (numberedCommits(this.files) < before) this.count("power cut that takes a commit");
    this.boot += 1;
    this.ledger.powerCut();
    this.readers.spoilAll();
  }

  /** Milliseconds that a call of a slow kind takes. */
  latency(): number {
    const { random } = this;
    return random.chance(0.02) && this.troubled ? random.next() * 200 : 0.05 + random.next() * 2;
  }

  #store(process: SimProcess): LoopStore {
    const { scheduler } = this;
    const own = processDisk(this.files, () => scheduler.pass(process, this.latency()));
    const disk = faultyDisk(
      own,
      (call) => this.#judge(process, call),
      () => {
        this.kill(process);
        throw new Died();
      },
    );
    const boot = this.boot;
    return createStore({
      root: ROOT,
      disk,
      keep: KEEP,
      warn: (id, message) => this.trace.note(`${process.name} warns ${id}: ${plain(message)}`),
      machine: machineOf(scheduler, process, {
        wall: () => this.wall(),
        // Begins anew with the machine.
        ticks: () => Math.floor(scheduler.now) - boot,
        notices: (who, folder, tell) => this.watchers.watch(who, folder, tell),
        lives: (pid, boot) =>
          this.processes.some((one) => one.pid === pid && one.boot === boot && one.alive),
      }),
    });
  }

  #judge(process: SimProcess, call: DiskCall): DiskFault | null {
    if (!process.alive) return { kind: "die", done: "nothing", share: 0 };
    if (LOOKING.has(call.name)) {
      const fault = faultByChance(this.random, process.faults, call);
      if (fault) this.#failed(process);
      return fault;
    }
    this.#come(process, call);
    const fault = this.#faultOf(process, call);
    if (fault) this.#failed(process);
    this.trace.note(
      `${process.name} ${call.name} ${plain(call.path)}${fault ? ` ${fault.kind}` : ""}`,
    );
    return fault;
  }

  /** What the call means to those who wait for it. */
  #come(process: SimProcess, call: DiskCall): void {
    const moment = momentOf(call);
    if (moment === null) return;
    const loop = loopOf(call);
    if (moment === "link") this.ledger.leases.linked(process, loop, epochOf(call));
    if (moment === "trim") {
      this.#trimmedAt = this.scheduler.now;
      this.count("old revision let go of");
    }
    this.moments.come(moment, { process, loop });
  }

  #failed(process: SimProcess): void {
    if (process.commits.size > 0) this.count("disk error in the middle of a commit");
    process.failedAt = this.scheduler.now;
    process.isReliable = false;
  }

  #faultOf(process: SimProcess, call: DiskCall): DiskFault | null {
    if (process.callsToLive !== null) {
      if (process.callsToLive === 0) return deathByChance(this.random);
      process.callsToLive -= 1;
    }
    return faultByChance(this.random, process.faults, call);
  }
}

/** Without the names that differ in every run of this program. */
function plain(text: string): string {
  return text.replaceAll(/\.tmp-[\w-]+/g, ".tmp");
}

/** All revisions of all loops that have a file of their own. */
function numberedCommits(files: SimFiles): number {
  const loops = files.find(`${ROOT}/.workflow/.loop`);
  if (loops?.kind !== "folder") return 0;
  const histories = [...loops.names.values()].flatMap((node) =>
    node.kind === "folder" ? [...node.names.keys()] : [],
  );
  return histories.filter((name) => /^\d{10}\.json$/.test(name)).length;
}
