import type { Mutant } from "../mutant.ts";

const RED_TESTS = "packages/cli/test/red-tests.test.ts";
const SEARCH = "packages/core/test/machine-search.test.ts";
const OUTSIDE = "packages/orchestrator/test/outside.test.ts";

export const mutants: Mutant[] = [
  {
    name: "An answer about red tests takes the place of what --known-red said.",
    file: "packages/orchestrator/src/actions/init.ts",
    find: "const known_red = [...(current.settings?.known_red ?? []), ...patterns];",
    replace: "const known_red = [...patterns];",
    test: { file: RED_TESTS, title: "an answer adds to what a flag excepts" },
  },
  {
    name: "A loop under --auto waits for an answer about red tests.",
    file: "packages/orchestrator/src/actions/init.ts",
    find: 'const ask = modeOf(state) === "interactive" ? ctx.options.askKnownRed : undefined;',
    replace: "const ask = ctx.options.askKnownRed;",
    test: { file: RED_TESTS, title: "with --auto nobody is asked, also in a terminal" },
  },
  {
    name: "To except a red test by its number excepts others whose names it is a part of.",
    file: "packages/cli/src/output/questions.ts",
    find: "one.includes(id)).length === 1 ?",
    replace: "one.includes(id)).length > 0 ?",
    test: { file: RED_TESTS, title: "excepts the red tests" },
  },
  {
    name: "A pass whose square was not measured completes a loop as proven.",
    file: "packages/core/src/machine/select.ts",
    find: "= hasPassed(state) && !lacksSquare(state) && openObjections(state).length === 0;",
    replace: "= hasPassed(state) && openObjections(state).length === 0;",
    test: { file: SEARCH, title: "completed only behind a passing receipt" },
  },
  {
    name: "A pass of other files completes a loop as proven.",
    file: "packages/core/src/machine/select.ts",
    find: "return receipt?.passed === true && state.skill_state?.validate.stale === false;",
    replace: "return receipt?.passed === true;",
    test: { file: SEARCH, title: "completed only behind a passing receipt" },
  },
  {
    name: "The search of the machine takes states for one that differ in the action that a person chose.",
    file: "packages/core/test/machine-search.ts",
    find: "          skill.chosen_action ?? 0,\n",
    replace: "",
    test: { file: SEARCH, title: "states of one key behave the same" },
  },
  {
    name: "The search of the machine takes a pass without its square for one with it.",
    file: "packages/core/test/machine-search.ts",
    find: "[passed ?? 0, square !== undefined],",
    replace: "[passed ?? 0],",
    test: { file: SEARCH, title: "states of one key behave the same" },
  },
  {
    name: "A pass of tests that need a file which changes by itself is proven, because they are judged in place.",
    file: "packages/orchestrator/src/actions/validate.ts",
    find: "const isOpen = objections.length > 0 || (square?.in_place.length ?? 0) > 0;",
    replace: "const isOpen = objections.length > 0;",
    test: { file: OUTSIDE, title: "is asked about once when the tests need it" },
  },
  {
    name: "A file that changes by itself costs a run of the tests although the clean room showed that they pass without it.",
    file: "packages/orchestrator/src/actions/validate.ts",
    find: "restless.length > 0 && isOpen) {",
    replace: "restless.length > 0) {",
    test: { file: OUTSIDE, title: "costs no run of its own" },
  },
  {
    name: "Clean rooms are without the files of submodules.",
    file: "packages/workspace-git/src/clean-room/checkout.ts",
    find: "  await fillSubmodules(repository, top, laid);\n",
    replace: "",
    test: {
      file: "packages/workspace-git/test/room.test.ts",
      title: "submodules have the files of their commits in a room",
    },
  },
  {
    name: "Tests of the clean room write into what is installed in the project, and nobody is asked.",
    file: "packages/orchestrator/src/proof/measure-square.ts",
    find: "if (written.length > 0) measured",
    replace: "if (written.length > 999) measured",
    test: {
      file: "packages/cli/test/packages.test.ts",
      title: "that write into the project's packages are an objection",
    },
  },
  {
    name: "Packages of pnpm share their files in a clean room with the project.",
    file: "packages/orchestrator/src/proof/rooms.ts",
    find: "--prefer-offline --package-import-method copy",
    replace: "--prefer-offline",
    test: { file: "packages/orchestrator/test/packages.test.ts", title: "pnpm-lock.yaml" },
  },
  {
    name: "Packages of Python are installed by a lockfile of JavaScript.",
    file: "packages/orchestrator/src/proof/rooms.ts",
    find: "folder === name && existsSync",
    replace: "folder !== '' && existsSync",
    test: { file: "packages/orchestrator/test/packages.test.ts", title: "is installed by" },
  },
  {
    name: "verify advises git to whoever has no repository.",
    file: "packages/orchestrator/src/service/locate-square-files.ts",
    find: 'if (kind !== "git") {',
    replace: 'if (kind === "") {',
    test: {
      file: "packages/cli/test/receipt.test.ts",
      title: "of a project without git stands where the loop ran",
    },
  },
  {
    name: "The run without files that change by themselves is made in no clean room.",
    file: "packages/orchestrator/src/proof/run-tests.ts",
    find: "[await runInRoom(deps, room, there)]",
    replace:
      "[await deps.verifier.verify(there, { cwd: room.cwd, signal, timeoutMs: deps.timeoutMs })]",
    test: {
      file: "packages/orchestrator/test/outside.test.ts",
      title: "is left out in a clean room, as every other run of the proof",
    },
  },
  {
    name: "The setup command is started for a lease that lapsed.",
    file: "packages/orchestrator/src/proof/baseline.ts",
    find: "  ctx.watcher.requireLease();\n",
    replace: "",
    test: {
      file: "packages/orchestrator/test/held-lease.test.ts",
      title: "the setup command is not started for a lease that lapsed before it",
    },
  },
  {
    name: "Packages are installed anew for a lease that was lost.",
    file: "packages/orchestrator/src/proof/rooms.ts",
    find: "    await beforeRun();\n",
    replace: "",
    test: {
      file: "packages/orchestrator/test/packages.test.ts",
      title: "nothing is installed for a lease that was lost",
    },
  },
  {
    name: "The agent that thinks of tasks works for no lease.",
    file: "packages/orchestrator/src/service/generate-tasks.ts",
    find: "    scope: await scopeFor(deps, state.loop_id),\n",
    replace: "",
    test: {
      file: "packages/orchestrator/test/more-tasks.test.ts",
      title: "the agent that is asked works for the loop's newest lease",
    },
  },
];
