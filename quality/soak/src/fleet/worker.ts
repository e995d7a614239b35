import type { LoopEvent } from "@ccw-loop/core";
import type { Machine, Program } from "./machine.ts";

/** What a worker has told of: a fact that is in the database, so it may never be missing from it. */
export interface ToldEvent {
  loop: string;
  revision: number;
  event: LoopEvent;
}

interface Told {
  kind: string;
  type?: string;
  id: string;
  recorded?: { revision: number; event: LoopEvent };
  activity?: { event: { type: string } };
}

interface WorkerOptions {
  machine: Machine;
  /** Of `ccw-loop worker`. */
  line: readonly string[];
  env: NodeJS.ProcessEnv;
  onEvent: (told: ToldEvent) => void;
}

/** One process of `ccw-loop worker`, from its start to its end. */
export class Worker {
  readonly machine: Machine;
  /** The loops that it drives, as far as it told. */
  readonly holds = new Set<string>();
  /** Those whose lease it found to be another's. */
  readonly lost = new Set<string>();
  /** It ended because it was killed. */
  isKilled = false;
  readonly #options: WorkerOptions;
  #program: Program | undefined;
  #atWork = Promise.withResolvers<void>();

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.machine = options.machine;
  }

  async start(): Promise<void> {
    const { machine, line, env } = this.#options;
    this.#program = await machine.start(line, env, (text) => this.#hear(text));
  }

  /** Resolves when its agent runs a command the next time. */
  get nextWork(): Promise<void> {
    return this.#atWork.promise;
  }

  /** What it complained of when it ended by itself; resolves with `""` when it was killed. */
  async ended(): Promise<string> {
    await this.#program?.gone;
    return this.isKilled ? "" : (this.#program?.complaint() ?? "");
  }

  signal(name: NodeJS.Signals): void {
    if (name === "SIGKILL") this.isKilled = true;
    this.#program?.signal(name);
  }

  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.#program?.gone;
  }

  #hear(line: string): void {
    const told = parsed(line);
    if (!told) return;
    const { kind, type, id, recorded, activity } = told;
    if (recorded) this.#options.onEvent({ loop: id, ...recorded });
    if (activity?.event.type === "command.started") {
      this.#atWork.resolve();
      this.#atWork = Promise.withResolvers();
    }
    if (kind !== "supervisor" || id === null) return;
    if (type === "loop.taken") this.holds.add(id);
    else this.holds.delete(id);
    if (type === "loop.lost") this.lost.add(id);
  }
}

/** The last line of a process that was killed may be cut off. */
function parsed(line: string): Told | undefined {
  try {
    return JSON.parse(line) as Told;
  } catch {
    return undefined;
  }
}
