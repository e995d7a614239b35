import { type ProcessTree, runningProcesses, ticksNow } from "@ccw-loop/processes";

/** Start times by pid, as a process tree has them. */
type Members = ReturnType<ProcessTree["members"]>;

/**
 * The processes of an agent that stay when everything else of its turns is ended: the agent, and the helpers that it
 * starts itself at some time (a server for its tools, its native part). Such a one is a child of another that stays, and
 * appeared while no command was at work; what a command left in the background has lost its parent, or was there when
 * the command ended.
 */
export class OwnProcesses {
  readonly #tree: ProcessTree;
  #own: Members;
  #others: Members = new Map();

  /** Whoever is there now is the agent's own. */
  constructor(tree: ProcessTree) {
    this.#tree = tree;
    this.#own = tree.members();
  }

  /**
   * No command is at work yet, or since `noCommandForMs`: what has appeared before that is the agent's own. A frame that
   * tells of a command may come after its first process.
   */
  adopt(noCommandForMs = 0): void {
    const members = this.#tree.members();
    const parents = new Map(runningProcesses().map(({ pid, parent }) => [pid, parent]));
    const now = ticksNow();
    const latest = now === null ? Number.NEGATIVE_INFINITY : now - noCommandForMs / 10;
    const own = same(this.#own, members);
    const others = same(this.#others, members);
    // Parents first: a helper may have helpers.
    for (let before = -1; before < own.size; ) {
      before = own.size;
      for (const [pid, started] of members) {
        const isLate = noCommandForMs > 0 && !(Number(started) <= latest);
        if (!isLate && !others.has(pid) && own.has(parents.get(pid) ?? 0)) own.set(pid, started);
      }
    }
    this.#own = own;
    this.#others = others;
  }

  /** A command has ended: who is new is its own. */
  disown(): void {
    const members = this.#tree.members();
    this.#others = new Map([...members].filter(([pid]) => !this.#own.has(pid)));
  }

  /** Ends all others; answers the pids that could not be ended. */
  endOthers(): Promise<number[]> {
    return this.#tree.endOthers(this.#own, { graceMs: 0 });
  }
}

/** Those of before that are there still. */
function same(before: Members, now: Members): Map<number, string> {
  return new Map([...before].filter(([pid, started]) => now.get(pid) === started));
}
