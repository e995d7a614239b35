import type { Mutant } from "../mutant.ts";

const HOSTING = "test/hosting.test.ts";
const CLAIM = "packages/workspace-git/test/claim.test.ts";
const ONE_DRIVER = "packages/orchestrator/test/one-driver.test.ts";
const OUTSIDE = "packages/orchestrator/test/outside.test.ts";
const DRIVER = "packages/orchestrator/test/driver.test.ts";

/** Where a loop works, who else works there, and where the program is started. */
export const mutants: Mutant[] = [
  {
    name: "The unit starts npx, which ends at SIGTERM and leaves the server behind.",
    file: "docs/hosting/ccw-loop.service",
    find: "ExecStart=/opt/ccw-loop/bin/ccw-loop serve",
    replace: "ExecStart=/opt/ccw-loop/bin/npx ccw-loop serve",
    test: { file: HOSTING, title: "drains at SIGTERM to the process that it starts" },
  },
  {
    name: "The container starts a shell, which keeps SIGTERM to itself.",
    file: "docs/hosting/Containerfile",
    find: `ENTRYPOINT ["tini", "--", "ccw-loop"]`,
    replace: "ENTRYPOINT tini -- ccw-loop",
    test: { file: HOSTING, title: "starts the program without a shell" },
  },
  {
    name: "The worktrees of a container belong to root.",
    file: "docs/hosting/Containerfile",
    find: "mkdir -p /projects/project /projects/project.worktrees",
    replace: "mkdir -p /projects/project",
    test: { file: HOSTING, title: "has volumes that its user owns" },
  },
  {
    name: "The home of a container's user is not given to it.",
    file: "docs/hosting/Containerfile",
    find: "chown -R node:node /projects /home/node",
    replace: "chown -R node:node /projects",
    test: { file: HOSTING, title: "has volumes that its user owns" },
  },
  {
    name: "Two loops work on the same files.",
    file: "packages/workspace-git/src/tree-claim.ts",
    find: "        if (before && !isOwn && isHeld(before)) throw busy(top, before);\n",
    replace: "",
    test: { file: CLAIM, title: "is of the whole repository" },
  },
  {
    name: "A second loop in a folder is refused instead of given a worktree.",
    file: "packages/orchestrator/src/run/place.ts",
    find: "return !hasBegun && workspace?.path === undefined && lacks.length === 0;",
    replace: "return false && !hasBegun && workspace?.path === undefined && lacks.length === 0;",
    test: { file: ONE_DRIVER, title: "a second loop in a folder gets a worktree of its own" },
  },
  {
    name: "The files of a suspended owner are taken while its agent is still at work.",
    file: "packages/orchestrator/src/run/place.ts",
    find: "const ended = underLease(deps, holder.loop, async () => undefined);",
    replace: "const ended = Promise.resolve();",
    test: { file: ONE_DRIVER, title: "loses its loop before another loop works on its files" },
  },
  {
    name: "Who takes files from one that died while it took them does not learn whose agent is still at work.",
    file: "packages/workspace-git/src/tree-claim.ts",
    find: "[...(before.from ?? []), ...latest]",
    replace: "[...latest]",
    test: {
      file: "packages/workspace-git/test/contract.test.ts",
      title: "says again from whom a claim was taken, as long as it was never renewed",
    },
  },
  {
    name: "What changes from outside counts as the loop's work.",
    file: "packages/orchestrator/src/run/outside-changes.ts",
    find: "if (from === null || from === tree) return null;",
    replace: "if (from === null || from !== null) return null;",
    test: { file: OUTSIDE, title: "what changes between two actions is credited to none" },
  },
  {
    name: "A rewind takes back what changed from outside.",
    file: "packages/orchestrator/src/service/rewind.ts",
    find: "leaves: paths.filter((path) => outside.has(path) && !isDisputed(path)),",
    replace: "leaves: [],",
    test: { file: OUTSIDE, title: "an action that was paused is credited with both" },
  },
  {
    name: "A rewind takes back files of which nobody knows whose they are, and does not ask.",
    file: "packages/orchestrator/src/service/rewind.ts",
    find: "  if (disputed.length === 0) return;\n",
    replace: "  if (disputed.length >= 0) return;\n",
    test: {
      file: "packages/orchestrator/test/going-back.test.ts",
      title: "refuses files that both the loop and somebody else changed",
    },
  },
  {
    name: "A loop whose driver died is shown as one that is driven.",
    file: "packages/orchestrator/src/service/list.ts",
    find: "if (lease?.living) return",
    replace: "if (lease) return",
    test: { file: DRIVER, title: "a running loop whose driver is gone has none" },
  },
  {
    name: "A list does not say which of its loops nobody drives.",
    file: "packages/orchestrator/src/service/list.ts",
    find: "if (since !== null) undriven.push({ id, since });",
    replace: "",
    test: { file: DRIVER, title: "a loop that is started and was never driven has no driver" },
  },
  {
    name: "The output of the loop's own process counts as a change of the project.",
    file: "packages/orchestrator/src/run/drive.ts",
    find: "  await excludeOutputs(ctx);\n",
    replace: "",
    test: { file: OUTSIDE, title: "when the output of this process goes there" },
  },
  {
    name: "A file that changes all the time makes the loop validate until its limit.",
    file: "packages/orchestrator/src/run/drive.ts",
    find: "if (noted !== null) await excludeRestless(ctx, noted);",
    replace: "",
    test: { file: OUTSIDE, title: "is left out when the tests pass without it" },
  },
  {
    name: "A list takes over every loop of another tool, one after the other.",
    file: "packages/store-fs/src/list/read-loop.ts",
    find: "    const older = await readLegacy(context, loop.paths);\n",
    replace:
      `    const { adopt } = await import("../legacy/adopt.ts");\n` +
      "    if (await adopt(context, loop)) return await readWithoutWriting(context, id);\n" +
      "    const older = await readLegacy(context, loop.paths);\n",
    test: {
      file: "packages/store-fs/test/older.test.ts",
      title: "is listed without writing anything",
    },
  },
  {
    name: "A loop that is resumed while its run still ends after a pause stays paused.",
    file: "apps/tui/src/effects/driving.ts",
    find: "if (known) known.again = recordStart(this.#service, id, this.#send);",
    replace: "if (known) known.again = Promise.resolve();",
    test: {
      file: "apps/tui/test/effects.test.ts",
      title:
        "one that is resumed while its run still ends after a pause is on record as such, and goes on",
    },
  },
];
