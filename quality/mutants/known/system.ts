import type { Mutant } from "../mutant.ts";

const FAILURE = "packages/core/test/system-failure.test.ts";
const GONE = "packages/orchestrator/test/repository-gone.test.ts";
const E2E = "packages/cli/test/e2e/system.test.ts";
const LEASES = "packages/store-fs/test/leases.test.ts";

/** What the system refuses, and what bounds a loop has. */
export const mutants: Mutant[] = [
  {
    name: "Too many open files are called a defect of ours.",
    file: "packages/core/src/system-failure.ts",
    find: "  const failure = systemFailure(error);\n  if (failure) return failure;\n",
    replace: "",
    test: { file: FAILURE, title: "EMFILE of open on /project/a.json" },
  },
  {
    name: "A senseless call of ours is called a failure of the system.",
    file: "packages/core/src/system-failure.ts",
    find: 'const DEFECTS = ["EBADF", "EFAULT", "EINVAL"];',
    replace: "const DEFECTS: string[] = [];",
    test: { file: FAILURE, title: "a call that makes no sense" },
  },
  {
    name: "A program that too many open files keep from starting fails without a reason.",
    file: "packages/workspace-git/src/git/errors.ts",
    find: '  if (failure && failure.details.code !== "ENOENT") return failure;\n',
    replace: "",
    test: {
      file: "packages/workspace-git/test/reader.test.ts",
      title: "because too many files are open",
    },
  },
  {
    name: "A loop whose .git folder is gone is driven on without its checkpoints.",
    file: "packages/orchestrator/src/run/drive-session.ts",
    find: "  await requireKept(place.workspace, before);\n",
    replace: "",
    test: { file: GONE, title: "is paused with the next step" },
  },
  {
    name: "A loop whose .git folder is gone ends in a defect of ours.",
    file: "packages/workspace-git/src/plain-files/files-workspace.ts",
    find: '    "workspace_unavailable",\n',
    replace: '    "internal",\n',
    test: { file: E2E, title: "a loop whose .git folder is gone" },
  },
  {
    name: "Who compares a loop whose .git folder is gone is sent to make a new repository.",
    file: "packages/orchestrator/src/service/checkpoints.ts",
    find:
      "  const workspace = await deps.workspace(await historyFolder(deps, state));\n" +
      "  await requireKept(workspace, state);\n  const { files, patch }",
    replace:
      "  const workspace = await deps.workspace(await historyFolder(deps, state));\n  const { files, patch }",
    test: { file: GONE, title: "cannot be compared, rewound or forked" },
  },
  {
    name: "A loop without git cannot go on once its old trees were forgotten.",
    file: "packages/orchestrator/src/run/place.ts",
    find: 'await orOn(workspace.read(commit, []), ["invalid_input"], null);',
    replace: "await workspace.read(commit, []);",
    test: { file: GONE, title: "goes on although its trees were forgotten" },
  },
  {
    name: "A command in a folder that was removed is told to install the program again.",
    file: "packages/cli/src/runtime/io.ts",
    find: "        cwd: folderHere(),\n",
    replace: "        cwd: process.cwd(),\n",
    test: { file: E2E, title: "a folder that was removed below the shell" },
  },
  {
    name: "A program may ask for a loop with any number of iterations.",
    file: "packages/api/src/contract/loops.ts",
    find: ".max(MAX_LIMITS.max_iterations,",
    replace: ".max(Number.MAX_VALUE,",
    test: { file: "packages/api/test/routes-requests.test.ts", title: "a number beyond its bound" },
  },
  {
    name: "The wall clock measures how long a loop worked.",
    file: "packages/orchestrator/src/actions/execute.ts",
    find: "activeMs: () => Math.max(0, Math.round(clock.monotonic() - begun - asked)),",
    replace:
      "activeMs: () => Math.max(0, clock.now().getTime() - Date.parse(state.action?.started_at ?? '') - asked),",
    test: {
      file: "packages/orchestrator/test/wall-clock.test.ts",
      title: "a wall clock that jumps by",
    },
  },
  {
    name: "A lease that a living process of somebody else was given without an end is never over.",
    file: "packages/store-fs/src/lease.ts",
    find: "    if (!isGiven) return null;\n",
    replace: "",
    test: { file: LEASES, title: "an end far away, given for a minute, of a process that lives" },
  },
  {
    name: "Closing the terminal ends the program and leaves its loop running.",
    file: "packages/cli/src/runtime/io.ts",
    find: 'const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;',
    replace: 'const SIGNALS = ["SIGINT", "SIGTERM"] as const;',
    test: { file: E2E, title: "a terminal that is closed pauses the loop" },
  },
];
