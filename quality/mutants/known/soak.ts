import type { Mutant } from "../mutant.ts";

const SOAK = "quality/test/soak.test.ts";
const STOPS = {
  command: ["quality/soak/stops.ts", "--stops", "10", "--codex-every", "0", "--seed", "7"],
  reports: "survived (",
} as const;

/** Defects that real processes have to find, and judges of them that would find nothing. */
export const mutants: Mutant[] = [
  {
    name: "A command that lost a race is done as it was decided before.",
    file: "packages/store-fs/src/fs-store.ts",
    find: "        const stored = await commit(context, loop, events, { actor, opId, epoch });\n",
    replace:
      "        let stored = await commit(context, loop, events, { actor, opId, epoch });\n" +
      "        while (!stored) {\n" +
      "          refresh(context, loop);\n" +
      "          stored = await commit(context, loop, events, { actor, opId, epoch });\n" +
      "        }\n",
    test: {
      file: "packages/store-fs/test/overtaking.test.ts",
      title: "whoever is overtaken between deciding and committing is told",
    },
  },
  {
    name: "A process that knows a loop does not look whether another one changed it.",
    file: "packages/store-fs/src/fs-store.ts",
    find: "return isReconciled(context, loop) ? answer(head) : null;",
    replace: "return answer(head);",
    test: {
      file: "packages/store-fs/test/changes.test.ts",
      title: "a store reads on what another one changed, and goes on from there",
    },
  },
  {
    name: "Another program finds the published document empty for a moment.",
    file: "packages/store-fs/src/publish/progress-files.ts",
    find: "    disk.write(draft, content);\n",
    replace: '    disk.write(draft, content);\n    disk.write(path, "");\n',
    test: {
      file: "packages/store-fs/test/processes.test.ts",
      title: "nothing is lost and nobody reads half a file",
    },
  },
  {
    name: "Processes that ignore TERM are left alive.",
    file: "packages/processes/src/terminate.ts",
    find: "if (empty === 2) return [];",
    replace: "if (empty === 2 || signalled.size > 0) return [];",
    run: STOPS,
  },
  {
    name: "The guardian ends groups only, and not what left them.",
    file: "packages/processes/src/guardian.ts",
    find: "  found=$ours\n",
    replace: "  found=$ours; return\n",
    run: STOPS,
  },
  {
    name: "A soak that killed nobody in the middle of anything counts.",
    file: "quality/soak/src/kills/kills.ts",
    find: 'return unmetNeeds(needs, kills, "kills");',
    replace: 'return unmetNeeds([], kills, "kills");',
    test: { file: SOAK, title: "kills that met nobody in the middle of anything do not count" },
  },
  {
    name: "The soak does not see that a commit holds something else.",
    file: "quality/soak/src/files/ledger.ts",
    find: "else if (found !== facts)",
    replace: "else if (found === null)",
    test: { file: SOAK, title: "is not recorded, or holds something else" },
  },
  {
    name: "The soak does not see that a file is gone.",
    file: "quality/soak/src/files/foreign-reader.ts",
    find: "if (isMissing(error) && !seen.has(path)) continue;",
    replace: "if (isMissing(error)) continue;",
    test: { file: SOAK, title: "a file that is cut off, or that is gone, is unreadable" },
  },
];
