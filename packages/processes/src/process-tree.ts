import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  type SpawnOptions,
  spawn,
} from "node:child_process";
import { LoopError, type ProcessScope, systemAdvice } from "@ccw-loop/core";
import { ancestorsOf, isKnownGroup, orphansIn, withDescendants } from "./descendants.ts";
import { guardian } from "./guardian.ts";
import { startOf, thisProcess } from "./identity.ts";
import { inheritedTag, TAG_VARIABLE, tagsIn } from "./owner-tag.ts";
import {
  commandLineOf,
  environOf,
  isBeingStarted,
  type ProcessInfo,
  runningProcesses,
  ticksNow,
} from "./process-table.ts";
import type { Registry } from "./registry.ts";
import { type EndOptions, type ProcessSnapshot, signal, terminateAll } from "./terminate.ts";

/** Start times of processes are counted more coarsely than ours. */
const SLACK_TICKS = 200;
/** A pid is not used again within this time, so a process that was ruled out is not looked at again in it. */
const SAME_PID_MS = 500;

/** Start times by pid: a pid may be given away again. */
type Kept = ReadonlyMap<number, string>;
const NOBODY: Kept = new Map();

/** Variables for what is started for a loop. */
export type Environment = (scope: ProcessScope) => Readonly<Record<string, string>>;

interface TreeOptions {
  scope: ProcessScope | null;
  registry: Registry | null;
  environment: Environment;
}

/** Processes that are ended together, with everything that they started, wherever it went. */
export class ProcessTree {
  readonly #tag: string;
  /** For whom its processes work; null for no loop. */
  readonly #scope: ProcessScope | null;
  readonly #registry: Registry | null;
  readonly #variables: Environment;
  readonly #createdAtTicks = ticksNow();
  /** Groups of ours that may have members, by the pid of their first process. */
  readonly #groups = new Map<number, string>();
  /** Start times of those who were once found: they stay ours without a parent and without the tag. */
  readonly #known = new Map<number, string>();
  #starter: number | null = null;

  constructor(tag: string, { scope, registry, environment }: TreeOptions) {
    this.#tag = tag;
    this.#scope = scope;
    this.#registry = registry;
    this.#variables = environment;
  }

  /** What a process must have in its environment to belong here, for one that we do not start ourselves. */
  get environment(): { name: string; value: string } {
    return { name: TAG_VARIABLE, value: inheritedTag(this.#tag) };
  }

  /**
   * `spawn` of node:child_process in a process group of its own, tagged and registered. Throws `fenced` when a newer
   * owner has the loop, `system_unavailable` where too many files are open.
   */
  spawn(
    file: string,
    args: readonly string[],
    options: SpawnOptions & { stdio: "pipe" },
  ): ChildProcessWithoutNullStreams;
  spawn(file: string, args: readonly string[], options: SpawnOptions): ChildProcess;
  spawn(file: string, args: readonly string[], options: SpawnOptions): ChildProcess {
    const { name, value } = this.environment;
    this.#requireLease();
    guardian.ready();
    const more = this.#scope === null ? {} : this.#variables(this.#scope);
    const env = { ...(options.env ?? process.env), ...more, [name]: value };
    const child = spawn(file, args, { ...options, env, detached: true });
    requireStreams(child, file);
    if (child.pid !== undefined) this.#take(child, child.pid, [file, ...args].join(" "));
    return child;
  }

  /** Names a process that gives the tag to what it starts, without having it itself. */
  startedBy(pid: number): void {
    this.#starter = pid;
  }

  /** Pids that live, zombies not counted. */
  living(): number[] {
    return this.#look().living;
  }

  /** Those who live now, as `endOthers` takes them. */
  members(): Kept {
    this.#look();
    return new Map(this.#known);
  }

  /** Ends every process of the tree; answers the pids that could not be ended. */
  end(ending: EndOptions): Promise<number[]> {
    return this.#terminate(NOBODY, ending);
  }

  /**
   * Ends every process of the tree but `kept`, which are spared also where they share a group with others; answers the
   * pids that could not be ended.
   */
  endOthers(kept: Kept, ending: EndOptions): Promise<number[]> {
    return this.#terminate(kept, ending);
  }

  #terminate(kept: Kept, ending: EndOptions): Promise<number[]> {
    const began = performance.now();
    const older = new Set<number>();
    const look = () => {
      if (performance.now() - began > SAME_PID_MS) older.clear();
      return this.#look(older, kept);
    };
    return terminateAll(look, ending);
  }

  #take(child: ChildProcess, pid: number, command: string): void {
    const started = startOf(pid) ?? "";
    this.#groups.set(pid, started);
    guardian.watch(pid, { started, tag: this.#tag });
    child.once("exit", () => {
      // Others of the group may live on; the next look tells when they are gone.
      if (!signal(-pid, 0)) this.#dropGroup(pid);
    });
    try {
      const [owner, at] = [thisProcess(), new Date().toISOString()];
      const [mark, scope] = [this.#tag, this.#scope];
      this.#registry?.write({ mark, group: pid, started, owner, scope, command, at });
      // Somebody may have taken over in the meantime, and have looked before the child was there.
      this.#requireLease();
    } catch (error) {
      signal(-pid, "SIGKILL");
      throw error;
    }
  }

  /** Throws when nothing may be started any more. */
  #requireLease(): void {
    const scope = this.#scope;
    if (!scope) return;
    this.#registry?.checkEpoch(scope);
    if (!guardian.isOver(this.#tag)) return;
    const message = `The lease of loop ${scope.loop} was not renewed in time, so nothing is started for it.`;
    throw new LoopError("fenced", message, { details: { ...scope } });
  }

  #dropGroup(pid: number): void {
    const started = this.#groups.get(pid);
    if (started === undefined) return;
    this.#groups.delete(pid);
    guardian.forget(pid);
    this.#registry?.remove({ group: pid, started });
  }

  /** `older` are pids that cannot be ours; it is added to. */
  #look(older = new Set<number>(), kept = NOBODY): ProcessSnapshot {
    const all = runningProcesses(older);
    for (const [pid, started] of this.#groups) {
      const lives = all.some(({ group }) => group === pid);
      if (!lives || !isKnownGroup({ pid, started }, all)) this.#dropGroup(pid);
    }
    const young = all.filter((one) => this.#isYoung(one) && one.pid !== process.pid);
    const ours = young.filter((one) => this.#isOurs(one)).map(({ pid }) => pid);
    const members = withDescendants(ours, all);
    members.delete(process.pid);
    const living = all.filter(({ pid }) => members.has(pid));
    const above = ancestorsOf(process.pid, all);
    for (const one of all) if (!this.#isYoung(one) && !above.has(one.pid)) older.add(one.pid);
    this.#known.clear();
    for (const { pid, started } of living) this.#known.set(pid, started);
    const found = living.filter(({ pid, started }) => kept.get(pid) !== started);
    return {
      living: found.map(({ pid }) => pid),
      groups: kept.size === 0 ? [...this.#groups.keys()] : [],
      starting: found.length === 0 && this.#mayBeStarting(all),
    };
  }

  /** No process is older than the tree. */
  #isYoung({ started }: ProcessInfo): boolean {
    return this.#createdAtTicks === null || !(Number(started) < this.#createdAtTicks - SLACK_TICKS);
  }

  #isOurs({ pid, group, started }: ProcessInfo): boolean {
    return (
      this.#groups.has(group) ||
      this.#known.get(pid) === started ||
      tagsIn(environOf(pid)).includes(this.#tag)
    );
  }

  /**
   * Somebody of us whose tag cannot be seen yet: an orphan that is just being started, for its parent would have been
   * found; or a child of the starter that is still its image, and has not got its own environment.
   */
  #mayBeStarting(all: readonly ProcessInfo[]): boolean {
    const starter = all.find(({ pid }) => pid === this.#starter);
    const image = starter && commandLineOf(starter);
    return (
      orphansIn(all).some((one) => this.#isYoung(one) && isBeingStarted(one.pid)) ||
      all.some((one) => starter && one.parent === starter.pid && isImage(one, image))
    );
  }
}

/** Where too many files are open, Node hands out a child without its streams. Throws `system_unavailable` then. */
function requireStreams(child: ChildProcess, file: string): void {
  if ((child.stdio as unknown) !== undefined) return;
  child.on("error", () => undefined);
  throw new LoopError(
    "system_unavailable",
    `Starting ${file} failed (EMFILE). ${systemAdvice("EMFILE")}`,
    { details: { code: "EMFILE", syscall: "spawn", path: file } },
  );
}

function isImage(one: ProcessInfo, image: string | undefined): boolean {
  const line = commandLineOf(one);
  return line === image || (line === "" && isBeingStarted(one.pid));
}
