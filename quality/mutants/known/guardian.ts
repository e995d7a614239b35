import type { Mutant } from "../mutant.ts";

const HELD_LEASE = {
  file: "packages/orchestrator/test/held-lease.test.ts",
  title: "processes live for less than the lease does",
};
const GUARDIAN = "packages/processes/test/guardian.test.ts";

/** Two agents of one loop at once: that of a suspended owner outlives its lease. */
export const mutants: Mutant[] = [
  {
    name: "The time of a lease counts from after the store gave it.",
    file: "packages/orchestrator/src/run/lease.ts",
    find: "const held = new HeldLease(deps, lease, since);",
    replace: "const held = new HeldLease(deps, lease, deps.clock.monotonic());",
    test: HELD_LEASE,
  },
  {
    name: "The time of a lease counts from after the store renewed it.",
    file: "packages/orchestrator/src/run/lease.ts",
    find: "this.#since = Math.max(this.#since, since);",
    replace: "this.#since = this.#deps.clock.monotonic();",
    test: HELD_LEASE,
  },
  {
    name: "Processes live for longer than the lease under which they work.",
    file: "packages/orchestrator/src/run/lease.ts",
    find: "const KEPT_ALIVE = 3 / 4;",
    replace: "const KEPT_ALIVE = 4 / 3;",
    test: HELD_LEASE,
  },
  {
    name: "The guardian is not told when a lease ends.",
    file: "packages/processes/src/guardian.ts",
    find: "    const now = ticksNow() ?? 0;\n",
    replace: '    if (lease !== "") return;\n    const now = ticksNow() ?? 0;\n',
    test: {
      file: GUARDIAN,
      title: "a guardian that is killed while its owner is suspended ends them all the same",
    },
  },
  {
    name: "A process is started under a lease whose time is over.",
    file: "packages/processes/src/guardian.ts",
    find: "tag.startsWith(lease) && until <= now);",
    replace: "tag.startsWith(lease) && until < 0);",
    test: { file: GUARDIAN, title: "leaves alone what works for others" },
  },
];
