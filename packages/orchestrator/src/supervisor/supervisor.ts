import { isLoopError, LoopError, type LoopState } from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import type { Steering } from "../run/drive-session.ts";
import { driveClaimed } from "../run/run-loop.ts";
import { dispositionOf } from "../run/waits.ts";
import type { SuperviseOptions, SupervisorNotice } from "../service/local-loops.ts";
import { FailureTracker, spread, type TrackedFailure } from "./failure-tracker.ts";
import { findRunning, Schedule } from "./schedule.ts";

/** How often all running loops are looked through, should a hint have been lost. */
const SCAN_EVERY_MS = 5 * 60 * 1000;
/** How long a wall clock that was set, or a machine that slept, can stay unnoticed. */
const MAX_SLEEP_MS = 30_000;
/** How often to look whether the owner of a running loop still lives, until its lease runs out: nobody tells when it dies. */
const OWNER_EVERY_MS = 2000;

/** How one drive of a loop ended; `ms` after it began. */
type DriveEnd = { state: LoopState } | { error: unknown; ms: number };

interface PutOff {
  /** How long it was driven before, in milliseconds. */
  lasted?: number;
  /** As long as its failures so far ask for, unless given. */
  retryInMs?: number;
}

/** One call of `supervise`. It knows nothing that the store could not tell again, and nothing at all of loops at rest. */
export class Supervisor {
  readonly #deps: OrchestratorDeps;
  readonly #steering: Steering;
  readonly #options: SuperviseOptions;
  readonly #concurrency: number;
  readonly #schedule: Schedule;
  readonly #failures: FailureTracker;
  /** The loops that are driven now, each with what cuts it off. */
  readonly #drives = new Map<string, { cut: AbortController; over: Promise<void> }>();
  /** Aborts when actions may end and no other ones are to be begun. */
  readonly #leave = new AbortController();
  /** Loops to be driven as soon as there is room, in the order in which they came. */
  readonly #queue = new Set<string>();
  /** Loops that may have changed. */
  readonly #hints = new Set<string>();
  #scanAt: number;
  #wake = new AbortController();

  constructor(deps: OrchestratorDeps, steering: Steering, options: SuperviseOptions) {
    this.#deps = deps;
    this.#steering = steering;
    this.#options = options;
    this.#concurrency = options.concurrency ?? 4;
    if (!Number.isInteger(this.#concurrency) || this.#concurrency < 1) {
      throw new LoopError(
        "invalid_input",
        `concurrency must be a positive integer, not ${this.#concurrency}.`,
      );
    }
    this.#schedule = new Schedule(deps.clock);
    this.#failures = new FailureTracker(deps.random);
    this.#scanAt = deps.clock.monotonic();
  }

  async run(): Promise<void> {
    const { signal } = this.#options;
    const end = () => this.#wake.abort();
    signal.addEventListener("abort", end, { once: true });
    // What an earlier process owed to others is made up for now, not when there is a loop to drive.
    await this.#deps.observers();
    const watching = this.#watch();
    while (!signal.aborted) {
      this.#wake = new AbortController();
      await this.#scan();
      const ids = new Set([...this.#schedule.due(), ...this.#hints]);
      this.#hints.clear();
      for (const id of ids) {
        if (signal.aborted) break;
        await this.#look(id);
        this.#fill();
      }
      this.#fill();
      if (this.#hints.size === 0) await this.#sleep();
    }
    signal.removeEventListener("abort", end);
    await this.#drain(signal.reason);
    await watching;
  }

  /** Gives back what is driven: behind the running actions where there is time for them, else in the middle. */
  async #drain(reason: unknown): Promise<void> {
    const { graceMs = 0 } = this.#options;
    const ids = [...this.#drives.keys()];
    const drives = [...this.#drives.values()];
    if (ids.length > 0) this.#tell({ type: "drain.started", ids });
    this.#leave.abort(reason);
    const all = Promise.all(drives.map(({ over }) => over));
    const over = new AbortController();
    const ended = all.then(() => over.abort());
    if (ids.length > 0 && graceMs > 0) await this.#deps.clock.sleep(graceMs, over.signal);
    for (const { cut } of drives) cut.abort(reason);
    await ended;
  }

  async #sleep(): Promise<void> {
    const { clock } = this.#deps;
    const left = Math.min(MAX_SLEEP_MS, this.#scanAt - clock.monotonic(), this.#schedule.next());
    if (!this.#options.signal.aborted) await clock.sleep(Math.max(0, left), this.#wake.signal);
  }

  #hint(id: string): void {
    if (this.#drives.has(id)) return;
    this.#hints.add(id);
    this.#wake.abort();
  }

  /** In the order of a scan, also what a change brought here before. */
  #hintLast(id: string): void {
    this.#hints.delete(id);
    this.#hint(id);
  }

  /** Changes as they come; what happens while the store cannot be watched, the next scan finds. */
  async #watch(): Promise<void> {
    const { store, clock } = this.#deps;
    const { signal } = this.#options;
    while (!signal.aborted) {
      try {
        for await (const id of store.watch(undefined, signal)) this.#hint(id);
        if (!signal.aborted)
          throw new LoopError("store_unavailable", "The store's change stream ended.");
      } catch (error) {
        const failure = this.#failures.record("watch", error);
        this.#tellStore(failure);
        await clock.sleep(failure.retryInMs, signal);
        this.#scanAt = clock.monotonic();
        this.#wake.abort();
      }
    }
  }

  async #scan(): Promise<void> {
    const { store, clock } = this.#deps;
    if (clock.monotonic() < this.#scanAt) return;
    this.#scanAt = clock.monotonic() + SCAN_EVERY_MS;
    try {
      const { running, damaged } = await findRunning(store, this.#options.signal);
      const now = clock.now().getTime();
      for (const { loop_id: id, ...state } of running) {
        if (this.#drives.has(id) || this.#schedule.has(id)) continue;
        const disposition = dispositionOf(state, now);
        if (disposition === "drive") this.#hintLast(id);
        else if (disposition !== "leave") this.#schedule.set(id, { wall: disposition.until });
      }
      for (const id of damaged) if (!this.#schedule.has(id)) this.#hintLast(id);
      this.#failures.clear("list");
    } catch (error) {
      if (this.#options.signal.aborted) return;
      const failure = this.#failures.record("list", error);
      this.#scanAt = clock.monotonic() + Math.min(failure.retryInMs, SCAN_EVERY_MS);
      this.#tellStore(failure);
    }
  }

  /** Finds out what is to be done with a loop that nobody drives here, and puts it where it belongs. */
  async #look(id: string): Promise<void> {
    const { store, clock, random, agent } = this.#deps;
    if (this.#drives.has(id)) return;
    try {
      const { state } = await store.read(id);
      const disposition = dispositionOf(state, clock.now().getTime());
      if (disposition === "leave" || !this.#fits(state)) return this.#forget(id);
      if (this.#schedule.isPutOff(id)) return;
      if (disposition !== "drive") {
        this.#forget(id);
        return this.#schedule.set(id, { wall: disposition.until });
      }
      this.#schedule.delete(id);
      if (this.#queue.has(id)) return;
      // A supervisor that does not have its agent would fail the loop, and another one may have it.
      await agent(state.settings ?? {});
      const lease = await store.leaseOf(id);
      if (!lease?.living) this.#queue.add(id);
      else this.#lookLater(id, Math.min(lease.left_ms, spread(OWNER_EVERY_MS, random())));
    } catch (error) {
      if (isLoopError(error, "loop_not_found", "invalid_id")) return this.#forget(id);
      if (!this.#schedule.isPutOff(id)) this.#putOff(id, error);
    }
  }

  /** Whether it is for this supervisor, of all that share the store. */
  #fits({ settings: { repository, needs = [] } = {} }: LoopState): boolean {
    const { labels = [], onlyRepositories = false } = this.#options;
    return (repository || !onlyRepositories) && needs.every((label) => labels.includes(label));
  }

  #forget(id: string): void {
    this.#queue.delete(id);
    this.#schedule.delete(id);
    this.#failures.clear(id);
  }

  #lookLater(id: string, ms: number): void {
    this.#queue.delete(id);
    this.#schedule.set(id, { monotonic: this.#deps.clock.monotonic() + ms });
  }

  #putOff(id: string, thrown: unknown, { lasted = 0, retryInMs }: PutOff = {}): void {
    const { error, isNews, ...found } = this.#failures.record(id, thrown, lasted);
    const retry_in_ms = retryInMs ?? found.retryInMs;
    this.#lookLater(id, retry_in_ms);
    if (isNews) this.#tell({ type: "loop.put_off", id, error, retry_in_ms });
  }

  #fill(): void {
    const { clock } = this.#deps;
    const { signal, onEvent } = this.#options;
    for (const id of this.#queue) {
      if (this.#drives.size >= this.#concurrency || signal.aborted) return;
      this.#queue.delete(id);
      const cut = new AbortController();
      const options = {
        onAbort: "release" as const,
        waitForLimits: false,
        leave: this.#leave.signal,
        ...(onEvent ? { onEvent } : {}),
        onClaimed: () => this.#tell({ type: "loop.taken", id }),
        signal: cut.signal,
      };
      const begun = clock.monotonic();
      const over = driveClaimed(this.#deps, id, options, this.#steering).then(
        (state) => this.#ended(id, { state }),
        (error: unknown) => this.#ended(id, { error, ms: clock.monotonic() - begun }),
      );
      this.#drives.set(id, { cut, over });
    }
  }

  #ended(id: string, end: DriveEnd): void {
    this.#drives.delete(id);
    const { clock, random } = this.#deps;
    const soon = () => spread(OWNER_EVERY_MS, random());
    const later = () => this.#lookLater(id, soon());
    if ("state" in end) {
      this.#failures.clear(id);
      // Resumed in this very moment, or given back by a drain: never taken again without a pause.
      if (dispositionOf(end.state, clock.now().getTime()) === "drive") later();
      this.#tell({ type: "loop.given_back", id, state: end.state });
    } else if (isLoopError(end.error, "loop_busy")) later();
    else if (isLoopError(end.error, "workspace_busy")) {
      // Its turn comes when the loop that works on its files has ended, waits or is paused: nobody tells when.
      this.#putOff(id, end.error, { retryInMs: soon() });
    } else if (isLoopError(end.error, "fenced")) {
      later();
      this.#tell({ type: "loop.lost", id });
    } else this.#putOff(id, end.error, { lasted: end.ms });
    this.#hint(id);
  }

  #tellStore({ error, retryInMs, isNews }: TrackedFailure): void {
    if (isNews) this.#tell({ type: "store.failed", error, retry_in_ms: retryInMs });
  }

  #tell(notice: SupervisorNotice): void {
    this.#options.onNotice?.(notice);
  }
}
