import type { Mutant } from "../mutant.ts";

/** The simulation, as it is run for every mutant that it has to find. */
const sim = (promise: number) => ({
  command: ["quality/sim/main.ts", "--seeds", "1000", "--until-violation"] as const,
  reports: `promise ${promise}`,
});

/** Defects that the simulation has to find. */
const simulated: Mutant[] = [
  {
    name: "A commit is acknowledged before its name is on the disk.",
    file: "packages/store-fs/src/commit/append.ts",
    find: "  await syncHistory(context, loop, draft.revision);\n",
    replace: "",
    run: sim(3),
  },
  {
    name: "A repeated request is answered before its commit is on the disk.",
    file: "packages/store-fs/src/fs-store.ts",
    find: "    await syncHistory(context, loop, revision);\n",
    replace: "",
    run: sim(3),
  },
  {
    name: "A new loop is acknowledged before its name is on the disk.",
    file: "packages/store-fs/src/commit/head.ts",
    find: "revision === 1 ? [paths.history, paths.folder] : [paths.history]",
    replace: "[paths.history]",
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
    name: "A commit whose revision another writer took is made behind that one, as it was decided before.",
    file: "packages/store-fs/src/fs-store.ts",
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
    file: "packages/store-fs/src/fs-store.ts",
    find: "        if (before) return before;\n        requireEpoch",
    replace: "        requireEpoch",
    run: sim(3),
  },
  {
    name: "A lease is given although a living process holds it.",
    file: "packages/store-fs/src/lease.ts",
    find: "        if (held !== null) throw busy(paths.id, held);\n",
    replace: "",
    run: sim(3),
  },
  {
    name: "The commit of an owner who lost its lease meanwhile is accepted.",
    file: "packages/store-fs/src/commit/append.ts",
    find: "epoch === undefined ? paths.history : epochFolder(paths.history, epoch);",
    replace: "paths.history;",
    run: sim(3),
  },
  {
    name: "A lost lease is renewed.",
    file: "packages/store-fs/src/fs-store.ts",
    find: "leases.renew(paths, lease)),",
    replace: "leases.renew(paths, lease)).catch(() => undefined),",
    run: sim(3),
  },
  {
    name: "An owner that was suspended does not look whether it still holds the lease.",
    file: "packages/orchestrator/src/run/lease.ts",
    find: "return Math.max(0, this.lease.ttlMs * RELIED_ON - passed);",
    // At every moment as much as at the first: with nothing left, the watch of the lease would ask without end.
    replace: "return this.lease.ttlMs * RELIED_ON + 0 * passed;",
    run: sim(3),
  },
  {
    name: "The agents and tests of an earlier owner are not ended.",
    file: "packages/orchestrator/src/run/run-loop.ts",
    find: "    await deps.endSuperseded(lease.scope);\n",
    replace: "",
    run: sim(3),
  },
  {
    name: "A pause does not reach a running turn.",
    file: "packages/orchestrator/src/run/loop-watcher.ts",
    find: 'if (state.status !== "running") this.#cut(',
    replace: 'if (state.status === "created") this.#cut(',
    run: sim(2),
  },
  {
    name: "Only a pause reaches a running turn, and no other end.",
    file: "packages/orchestrator/src/run/loop-watcher.ts",
    find: 'if (state.status !== "running") this.#cut(',
    replace: 'if (state.status === "paused") this.#cut(',
    run: sim(2),
  },
  {
    name: "An action begins although an operator stopped the loop meanwhile.",
    file: "packages/orchestrator/src/actions/execute.ts",
    find: "  if (selectNextAction(state).action !== action) return null;\n",
    replace: "",
    run: sim(2),
  },
  {
    name: "Nobody looks at the files again before a loop completes.",
    file: "packages/orchestrator/src/run/drive.ts",
    find: "const tree = needsTree(state, selection, first) ? await workspace.tree() : null;",
    replace:
      'const tested = action === "COMPLETE" ? (state.receipts?.at(-1)?.tree_after ?? null) : null;\n' +
      "      const tree = tested ?? (needsTree(state, selection, first) ? await workspace.tree() : null);",
    run: sim(1),
  },
  {
    name: "Tests that fail make a passing receipt.",
    file: "packages/orchestrator/src/actions/validate.ts",
    find: "const passed = proof.verdict.passed && gap === null;",
    replace: "const passed = gap === null;",
    run: sim(1),
  },
  {
    name: "The bound of iterations is ignored.",
    file: "packages/core/src/machine/limits.ts",
    find: "used: state.current_iteration, bound: state.max_iterations",
    replace: "used: state.current_iteration, bound: 1000",
    run: sim(4),
  },
  {
    name: "Agent turns are not counted.",
    file: "packages/core/src/machine/limits.ts",
    find: "used: usage?.turns ?? 0, bound: limits.max_turns",
    replace: "used: usage?.turns ?? 0, bound: 1000",
    run: sim(4),
  },
  {
    name: "What somebody else commits is not told to those who follow a loop.",
    file: "packages/orchestrator/src/run/recorder.ts",
    find: "      if (stored.revision !== this.#seen + 1) return this.#read();\n",
    replace: "",
    run: sim(5),
  },
  {
    name: "Those who follow a loop are told what they know already.",
    file: "packages/orchestrator/src/run/recorder.ts",
    find: "      this.#seen = recorded.revision;\n      this.#emit(recorded);",
    replace: "      this.#emit(recorded);",
    run: sim(5),
  },
  {
    name: "The published document is written in place.",
    file: "packages/store-fs/src/publish/progress-files.ts",
    find: "    disk.write(draft, content);\n    return disk.replace(draft, path);",
    replace: "    disk.write(path, content);\n    return null;",
    run: sim(6),
  },
  {
    name: "The published document is emptied before it is replaced.",
    file: "packages/store-fs/src/publish/progress-files.ts",
    find: "    disk.write(draft, content);\n",
    replace: '    disk.write(draft, content);\n    disk.write(path, "");\n',
    run: sim(6),
  },
];

export const mutants: Mutant[] = [
  {
    name: "A journal whose end was damaged is replaced before the new one is on the disk.",
    file: "packages/store-fs/src/journal/journal.ts",
    find: "    await disk.syncFile(draft);\n",
    replace: "",
    test: {
      file: "packages/store-fs/test/journal.test.ts",
      title: "a journal whose end is damaged is replaced only by one whose content is on the disk",
    },
  },
  ...simulated,
  {
    // The simulation excuses what a power cut leaves of public files until a store has looked at them.
    name: "A commit is published before it is on the disk.",
    file: "packages/store-fs/src/publish/publish.ts",
    find: "      if (!isSafe(loop, head)) await makeSafe(context, loop, head);\n",
    replace: "",
    test: {
      file: "packages/store-fs/test/commits.test.ts",
      title: "a commit that another process made is on the disk before it is published",
    },
  },
];
