import type { LoopStore } from "@ccw-loop/core";
import { type LocalLoops, loopService } from "@ccw-loop/orchestrator";
import {
  type DiskCall,
  type DiskFault,
  deathByChance,
  faultByChance,
  faultyDisk,
  READ_CALLS,
} from "@ccw-loop/testkit";
import { createStore } from "../../../../packages/store-fs/src/fs-store.ts";
import { cutPower } from "../disk/power-cut.ts";
import { processDisk } from "../disk/process-disk.ts";
import type { SimFiles } from "../disk/sim-files.ts";
import { Ledger } from "../judge/ledger.ts";
import { Feeds, Readers } from "../judge/readers.ts";
import { noFiles } from "../ports/project.ts";
import { simAgent } from "../ports/sim-agent.ts";
import { simVerifier } from "../ports/sim-verifier.ts";
import { ROOT, SimMachine } from "./sim-machine.ts";
import { clockOf, Died, machineOf, SimProcess } from "./sim-process.ts";
import { epochOf, loopOf, triggerOf } from "./triggers.ts";

/** How many revisions stay whole: so few that loops of some minutes let go of older ones. */
const KEEP = 8;
const TRIMMED_LATELY_MS = 2000;

/** A process with what runs in it. */
export interface Running {
  process: SimProcess;
  store: LoopStore;
  service: LocalLoops;
}

/** One machine with its processes and everybody who judges them: everything that a seed decides lives here. */
export class World extends SimMachine {
  readonly ledger = new Ledger(this);
  readonly feeds = new Feeds(this);
  readonly readers = new Readers(this);
  readonly processes: SimProcess[] = [];
  /** For 16 seeds, each of another scene, commits are whole, and for the next 16 they tell only what they changed. */
  readonly #form: { wholeBelow?: number };
  /** When an old revision was last let go of. */
  #trimmedAt = -1e9;
  #pids = 100;

  constructor(seed: number) {
    super(seed);
    this.#form = Math.floor(seed / 16) % 2 === 0 ? { wholeBelow: 0 } : {};
  }

  jump(ms: number): void {
    if (this.ledger.leases.isAnyHeld) this.count("jump of the clock while a lease is held");
    this.jumped += ms;
    this.trace.note(`clock jumps by ${ms}`);
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
      commandProblem: async () => null,
      workspace: async (folder) => this.projectAt(folder).workspace(process),
      cwd: ROOT,
      files: { ...noFiles, isFolder: async (path) => this.projects.has(path) },
      clock,
      random: () => this.random.next(),
      owner: process.name,
      leaseTtlMs: this.ttl,
      verifyTimeoutMs: 60_000,
      endSuperseded: (scope) => children.endSuperseded(process, scope),
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
      ...this.#form,
      warn: (id, message) => this.trace.note(`${process.name} warns ${id}: ${plain(message)}`),
      runtime: machineOf(scheduler, process, {
        wall: () => this.wall(),
        // Begins anew with the machine.
        bootClockMs: () => Math.floor(scheduler.now) - boot,
        notices: (who, folder, tell) => this.watchers.watch(who, folder, tell),
        lives: (pid, boot) =>
          this.processes.some((one) => one.pid === pid && one.boot === boot && one.alive),
      }),
    });
  }

  #judge(process: SimProcess, call: DiskCall): DiskFault | null {
    if (!process.alive) return { kind: "die", done: "nothing", share: 0 };
    if (READ_CALLS.includes(call.name)) {
      const fault = faultByChance(this.random, process.faults, call);
      if (fault) this.#failed(process);
      return fault;
    }
    this.#fire(process, call);
    const fault = this.#faultOf(process, call);
    if (fault) this.#failed(process);
    this.trace.note(
      `${process.name} ${call.name} ${plain(call.path)}${fault ? ` ${fault.kind}` : ""}`,
    );
    return fault;
  }

  /** What the call means to those who wait for it. */
  #fire(process: SimProcess, call: DiskCall): void {
    const trigger = triggerOf(call);
    if (trigger === null) return;
    const loop = loopOf(call);
    if (trigger === "link") this.ledger.leases.linked(process, loop, epochOf(call));
    if (trigger === "trim") {
      this.#trimmedAt = this.scheduler.now;
      this.count("old revision let go of");
    }
    this.triggers.fire(trigger, { process, loop });
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
