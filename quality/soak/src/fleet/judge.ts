import { isDeepStrictEqual } from "node:util";
import { evolve, LoopEvent, LoopState } from "@ccw-loop/core";
import pg from "pg";
import { z } from "zod";
import type { Fleet } from "./fleet.ts";
import type { ToldEvent } from "./worker.ts";

/** Numbers of 64 bits come as text. */
interface Row {
  id: string;
  revision: string;
  state: string;
  epoch: string;
  owner: string | null;
  /** Until the lease ends, in seconds. */
  left: string | null;
  commits: string;
}

/** A loop that runs, with its newest epoch, who has it, and for how long still. */
export interface RunningLoop {
  epoch: number;
  owner: string | null;
  secondsLeft: number | null;
}

/** Looks into the tables as another program would, without the store. */
export class Judge implements AsyncDisposable {
  readonly unreadable = new Set<string>();
  readonly lost = new Set<string>();
  /** How many loops were read. */
  reads = 0;
  readonly #url: string;
  readonly #told: ToldEvent[] = [];
  readonly #seen = new Set<string>();
  #client: pg.Client | undefined;

  constructor({ url }: Pick<Fleet, "url">) {
    this.#url = url;
  }

  get acknowledged(): number {
    return this.#told.length;
  }

  /** Several workers may tell of the same event. */
  tell(told: ToldEvent): void {
    const key = `${told.loop} ${told.revision} ${JSON.stringify(told.event)}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#told.push(told);
  }

  /** The loops that still run. Undefined while the database is away. */
  async look(): Promise<Map<string, RunningLoop> | undefined> {
    const rows = await this.#query<Row>(
      `SELECT id, revision, state::text AS state, epoch, owner, extract(epoch FROM lease_until - clock_timestamp()) AS left, (SELECT count(*) FROM soak.commits WHERE loop = no) AS commits
        FROM soak.loops WHERE status = 'running'`,
    ).catch(() => undefined);
    const running = new Map<string, RunningLoop>();
    for (const { id, revision, state: text, commits, epoch, owner, left } of rows ?? []) {
      this.reads += 1;
      const { data: state, error } = LoopState.safeParse(parsed(text));
      if (!state) this.unreadable.add(`${id} breaks the schema at revision ${revision}: ${error}`);
      else if (state.revision !== Number(revision) || commits !== revision)
        this.unreadable.add(
          `${id} is at ${revision}, says ${state.revision}, has ${commits} commits`,
        );
      if (state?.status === "running")
        running.set(id, {
          epoch: Number(epoch),
          owner,
          secondsLeft: left === null ? null : Number(left),
        });
    }
    return rows && running;
  }

  /** When everything has ended: is each loop whole, proven, and on the git server? */
  async judge({ inRepository }: Fleet, ids: Iterable<string>): Promise<void> {
    for (const id of ids) {
      const [row] = await this.#query<{ no: string; state: string }>(
        "SELECT no, state::text AS state FROM soak.loops WHERE id = $1",
        [id],
      );
      if (!row) {
        this.lost.add(`${id} is gone`);
        continue;
      }
      const state = LoopState.parse(parsed(row.state));
      const commits = await this.#query<{ revision: string; events: string; actor: string }>(
        "SELECT revision, actor, events::text AS events FROM soak.commits WHERE loop = $1 ORDER BY revision",
        [row.no],
      );
      this.#judgeHistory(id, state, commits);
      if (state.outcome?.code !== "proven") {
        const how = JSON.stringify(state.outcome ?? state.waiting);
        this.lost.add([`${id} is ${state.status}: ${how}`, ...failuresIn(commits)].join("\n  "));
      }
      try {
        for (const { commit } of state.checkpoints ?? [])
          if (commit) inRepository("cat-file", "-e", commit);
        const answer = inRepository("show", `ccw-loop/${id}:answer`);
        if (answer !== "42") this.lost.add(`The branch of ${id} has the answer ${answer}`);
      } catch (error) {
        this.lost.add(`A checkpoint or the branch of ${id} is not on the git server: ${error}`);
      }
    }
  }

  #judgeHistory(
    id: string,
    state: LoopState,
    commits: readonly { revision: string; events: string }[],
  ): void {
    const recorded = new Map<number, LoopEvent[]>();
    let folded: LoopState | undefined;
    for (const [n, { revision, events }] of commits.entries()) {
      if (Number(revision) !== n + 1) this.lost.add(`${id} lacks revision ${n + 1}`);
      const { data, error } = z.array(LoopEvent).safeParse(parsed(events));
      if (!data) this.unreadable.add(`${id}, revision ${revision}: ${error}`);
      recorded.set(Number(revision), data ?? []);
      for (const event of data ?? []) folded = evolve(folded, event);
    }
    const of = ({ status, outcome, tasks }: Partial<LoopState>) => ({ status, outcome, tasks });
    if (!isDeepStrictEqual(of(state), of(folded ?? {})))
      this.lost.add(`The history of ${id} leads to another state`);
    for (const { loop, revision, event } of this.#told) {
      const found =
        loop !== id || recorded.get(revision)?.some((one) => isDeepStrictEqual(one, event));
      if (!found) this.lost.add(`${event.type} of ${id}, told as revision ${revision}, is nowhere`);
    }
  }

  async #query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    if (!this.#client) {
      const client = new pg.Client({ connectionString: this.#url });
      client.on("error", () => this.#forget(client)).on("end", () => this.#forget(client));
      await client.connect();
      this.#client = client;
    }
    return (await this.#client.query(text, [...values])).rows;
  }

  #forget(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client?.end();
  }
}

/** Who had which action fail, and why. */
function failuresIn(
  commits: readonly { revision: string; events: string; actor: string }[],
): string[] {
  return commits.flatMap(({ events, revision, actor }) => {
    const { data = [] } = z.array(LoopEvent).safeParse(parsed(events));
    return data.flatMap((event) =>
      event.type === "action.failed"
        ? [`${revision} by ${actor}: ${event.action} failed: ${event.message}`]
        : [],
    );
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
