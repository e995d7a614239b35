import type { Mutant } from "../mutant.ts";

/** The simulation, as it is run for every mutant that it has to find. */
const sim = (promise: number) => ({
  command: ["sim/main.ts", "--seeds", "160", "--until-violation"] as const,
  reports: `promise ${promise}`,
});

/** Defects that the simulation has to find. */
const simulated: Mutant[] = [
  {
    name: "A commit is acknowledged before its name is on the disk.",
    file: "packages/store-fs/src/commits/history.ts",
    find: "const durable = disk.syncFolder(paths.history);",
    replace: "const durable = Promise.resolve();",
    run: sim(3),
  },
  {
    name: "A repeated request is answered before its commit is on the disk.",
    file: "packages/store-fs/src/loops.ts",
    find: "    await context.disk.syncFolder(loop.paths.history);\n",
    replace: "",
    run: sim(3),
  },
  {
    name: "Old revisions are let go of before the content of the journal is on the disk.",
    file: "packages/store-fs/src/publish/publish.ts",
    find: "  await disk.syncFile(paths.journal);\n",
    replace: "",
    run: sim(3),
  },
  {
    name: "Old revisions are let go of before the name of the journal is on the disk.",
    file: "packages/store-fs/src/publish/publish.ts",
    find: "  await disk.syncFolder(paths.folder);\n",
    replace: "",
    run: sim(3),
  },
  {
    name: "A commit is published before it is on the disk.",
    file: "packages/store-fs/src/publish/publish.ts",
    find: "      if (!isSafe(loop, head)) await makeSafe(context, loop, head);\n",
    replace: "",
    run: sim(3),
  },
  {
    name: "A commit whose revision another writer took is made behind that one, as it was decided before.",
    file: "packages/store-fs/src/loops.ts",
    find: "        const stored = await commit(context, loop, events, { actor, opId, epoch });\n",
    replace:
      "        let stored = await commit(context, loop, events, { actor, opId, epoch });\n" +
      "        while (!stored) {\n" +
      "          refresh(context, loop);\n" +
      "          stored = await commit(context, loop, events, { actor, opId, epoch });\n" +
      "        }\n",
    run: sim(2),
  },
  {
    name: "A repeated request is executed again.",
    file: "packages/store-fs/src/loops.ts",
    find: "        if (before) return before;\n        requireEpoch",
    replace: "        requireEpoch",
    run: sim(3),
  },
  {
    name: "A lease is given although a living process holds it.",
    file: "packages/store-fs/src/leases/leases.ts",
    find: "        if (held !== null) throw busy(paths.id, held);\n",
    replace: "",
    run: sim(3),
  },
  {
    name: "The commit of an owner who lost its lease meanwhile is accepted.",
    file: "packages/store-fs/src/commits/commit-events.ts",
    find: "epoch === undefined ? paths.history : epochFolder(paths.history, epoch);",
    replace: "paths.history;",
    run: sim(3),
  },
  {
    name: "A lost lease is renewed.",
    file: "packages/store-fs/src/store-on.ts",
    find: "leases.renew(paths, lease)),",
    replace: "leases.renew(paths, lease)).catch(() => undefined),",
    run: sim(3),
  },
  {
    name: "An owner that was suspended does not look whether it still holds the lease.",
    file: "packages/orchestrator/src/run/control.ts",
    find: "    return this.#lease.leftMs > 0;",
    replace: "    return true;",
    run: sim(3),
  },
  {
    name: "The agents and tests of an earlier owner are not ended.",
    file: "packages/orchestrator/src/run/run-loop.ts",
    find: "    await deps.endEarlier(lease.scope);\n",
    replace: "",
    run: sim(3),
  },
  {
    name: "A pause does not reach a running turn.",
    file: "packages/orchestrator/src/run/control.ts",
    find: '    if (!control.continue) this.#cut("status", `The loop is ${control.reason}.`);\n',
    replace: "",
    run: sim(2),
  },
  {
    name: "A receipt counts for other files than those that were tested.",
    file: "packages/orchestrator/src/run/drive.ts",
    find: "  if (tree === state.receipts?.at(-1)?.tree_after) return true;",
    replace: "  if (tree) return true;",
    run: sim(1),
  },
  {
    name: "The bound of iterations is ignored.",
    file: "packages/core/src/machine/limits.ts",
    find: "state.current_iteration >= state.max_iterations,",
    replace: "state.current_iteration >= 1000,",
    run: sim(4),
  },
  {
    name: "Agent turns are not counted.",
    file: "packages/core/src/machine/limits.ts",
    find: "(usage?.turns ?? 0) >= limits.max_turns,",
    replace: "(usage?.turns ?? 0) >= 1000,",
    run: sim(4),
  },
];

export const mutants: Mutant[] = [
  ...simulated,
  {
    name: "Old revisions are let go of before the journal that tells of them is on the disk.",
    file: "packages/store-fs/src/publish/publish.ts",
    find: "  await disk.syncFile(paths.journal);\n",
    replace: "",
    test: {
      file: "packages/store-fs/test/commits.test.ts",
      title: "the journal is on the disk before a revision is let go of",
    },
  },
];
