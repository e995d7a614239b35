const KEPT = 40;

/** Values that are looked at in one answer at most. */
const LOOKED_AT = 3_000;

/** Under which names earlier answers carry what a request calls otherwise. */
const ALIASES: Readonly<Record<string, string>> = {
  id: "loop_id",
  taskId: "task_id",
  ordered_task_ids: "task_id",
  task_ids: "task_id",
  cursor: "next_cursor",
  after: "revision",
  from: "n",
  to: "n",
  "If-Match": "etag header",
  "If-None-Match": "etag header",
  "Last-Event-ID": "event id",
  last_event_id: "event id",
};

/** What one answer carried, by the names of its fields. */
type Carried = Map<string, unknown[]>;

/** What earlier answers carried, so that later requests speak of what is there. */
export class AnswerMemory {
  /** The newest last. */
  #answers: Carried[] = [];
  /** The answer that the present request speaks of, mostly. */
  #subject: Carried | undefined;

  /** Begins another request: what it names is mostly from one answer, so that a task goes with its loop. */
  turnTo(n: number): void {
    this.#subject = this.#answers[n % Math.max(1, this.#answers.length)];
  }

  /** One of the values under that name, or what it is called in answers; undefined while there is none. */
  pick(name: string, n: number): unknown {
    const called = ALIASES[name] ?? name;
    const subject = n % 4 === 0 ? undefined : this.#subject?.get(called);
    const values = subject ?? this.#answers.flatMap((answer) => answer.get(called) ?? []);
    return values.length === 0 ? undefined : values[(n >> 2) % values.length];
  }

  /** An answer: a JSON value, and what else it carried, by name. What was met first is forgotten first. */
  learn(value: unknown, more: Readonly<Record<string, unknown>>): void {
    const carried: Carried = new Map();
    const open: [string, unknown][] = [...Object.entries(more), ["", value]];
    for (let looked = 0; looked < LOOKED_AT; looked += 1) {
      const [name, part] = open.pop() ?? [];
      if (name === undefined) break;
      if (typeof part === "string" || typeof part === "number") keep(carried, name, part);
      else if (Array.isArray(part)) for (const one of part) open.push([name, one]);
      else if (part !== null && typeof part === "object") open.push(...Object.entries(part));
    }
    if (carried.size === 0) return;
    this.#answers.push(carried);
    if (this.#answers.length > KEPT) this.#answers.shift();
  }

  /** It is gone: answers that carried it are no subject any more. */
  forget(value: unknown): void {
    this.#answers = this.#answers.filter((answer) => !answer.get("loop_id")?.includes(value));
  }
}

function keep(carried: Carried, name: string, value: unknown): void {
  const values = carried.get(name) ?? [];
  carried.set(name, values);
  if (values.length < KEPT && !values.includes(value)) values.push(value);
}
