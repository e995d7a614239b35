import { BUBBLEWRAP, type Mutant } from "../mutant.ts";

const PROOF_ROLES = "packages/core/test/proof-roles.test.ts";
const DOUBTFUL_FILES = "packages/orchestrator/test/doubtful-files.test.ts";
const SANDBOX = "packages/test-runner/test/sandbox.test.ts";
const REPLAY = "packages/verify/test/replay.test.ts";
const SQUARE_FILES = "packages/orchestrator/test/square-files.test.ts";

/** Defects that real repositories showed. */
export const mutants: Mutant[] = [
  {
    name: "Data that sources find by its folder is theirs although tests mention it too.",
    file: "packages/core/src/proof/roles.ts",
    find: "every((file) => !counts(file) || isSource(file, facts))",
    replace: "every((file) => !counts(file) || file !== path)",
    test: {
      file: PROOF_ROLES,
      title: "that sources find under a name which they put together is a source",
    },
  },
  {
    name: "The configuration of a test runner is a source when a source names it.",
    file: "packages/core/src/proof/roles.ts",
    find: "if (CONFIGURATION.test(path) && liesAboveTests(path, facts)) return false;",
    replace: "",
    test: { file: PROOF_ROLES, title: "because a source names it: it lies where a runner looks" },
  },
  {
    name: "A data file that the configuration of the tests names is a source.",
    file: "packages/core/src/proof/roles.ts",
    find: "by.every((file) => isSource(file, facts))",
    replace: "by.some((file) => isSource(file, facts))",
    test: {
      file: PROOF_ROLES,
      title: "is doubtful where tests or their configuration name it too",
    },
  },
  {
    name: "A helper of sources is laid over the start although it lets its tests pass.",
    file: "packages/orchestrator/src/proof/square.ts",
    find: "(before && (await changeNothing(before)))",
    replace: "before",
    test: {
      file: DOUBTFUL_FILES,
      title: "one that lets the start's tests pass by itself is asked about",
    },
  },
  {
    name: "The whole changed manifest is laid over the start.",
    file: "packages/core/src/proof/manifests.ts",
    find: "  const merged = { ...was };",
    replace: "  const merged = { ...is };",
    test: {
      file: "packages/core/test/manifests.test.ts",
      title: "package.json: dependencies and imports under new names",
    },
  },
  {
    name: "A manifest that sources need is asked about.",
    file: "packages/orchestrator/src/proof/square.ts",
    find: "if (additions.size > 0 && verdictFails",
    replace: "if (additions.size < 0 && verdictFails",
    test: {
      file: DOUBTFUL_FILES,
      title: "a manifest is laid over the start but for how tests are run",
    },
  },
  {
    name: "A helper that has the name of a word in a source is a source.",
    file: "packages/core/src/proof/references.ts",
    find: "return patterns.some((pattern)",
    replace: "return text.includes(name) || patterns.some((pattern)",
    test: { file: PROOF_ROLES, title: "stays doubtful where a source has its name as a word" },
  },
  {
    name: "A helper without which the product fails otherwise is taken for all that is tested.",
    file: "packages/orchestrator/src/proof/square-runs.ts",
    find: "isPassed && one?.join",
    replace: "isPassed || one?.join",
    test: { file: DOUBTFUL_FILES, title: "that needs what is tested is asked about" },
  },
  {
    name: "A helper that sources alone need is asked about.",
    file: "packages/core/src/proof/roles.ts",
    find: "  roles.likelySources = roles.doubtful.filter((path) => canBeTried(path, facts));\n",
    replace: "",
    test: {
      file: DOUBTFUL_FILES,
      title: "a helper that sources alone name, and that changes nothing by itself, is a source",
    },
  },
  {
    name: "A lease is not renewed while the claim on the files is being renewed.",
    file: "packages/orchestrator/src/run/loop-watcher.ts",
    find: "const kept = [this.#keep(() => this.#renewLease()), this.#keep(() => this.#renewClaim())];",
    replace:
      "const kept = [this.#keep(async () => (await this.#renewLease()) && this.#renewClaim())];",
    test: {
      file: "packages/orchestrator/test/held-lease.test.ts",
      title: "that is slow to renew does not cost the lease",
    },
  },
  {
    name: "A number that nobody notices is no objection where the start is red by itself.",
    file: "packages/verify/src/moved-numbers.ts",
    find: "if (stable.some((line) => !lines.has(line))) return true;",
    replace: "",
    test: {
      file: "packages/verify/test/moved-numbers.test.ts",
      title: "errors that a source drops: nobody notices other numbers",
    },
  },
  {
    name: "A limit that is lifted is taken for a judge that was taken away.",
    file: "packages/verify/src/moved-numbers.ts",
    find: "(value, n) => -value - 1 - (n % 3),",
    replace: "(value, n) => value + 5 + (n % 3),",
    test: {
      file: "packages/verify/test/moved-numbers.test.ts",
      title: "a limit that is lifted: no objection",
    },
  },
  {
    name: "A clean room goes by the name of the machine.",
    file: "packages/test-runner/src/clean-room/sandbox.ts",
    find: "const start = [bubblewrap, ...user, ...otherHostName(bubblewrap),",
    replace: "const start = [bubblewrap, ...user,",
    test: { file: SANDBOX, title: "a clean room has another name than the machine" },
  },
  {
    name: "The operator runs the tests in a clean room.",
    file: "packages/test-runner/src/clean-room/sandbox.ts",
    find: "const user = whereAllowed(bubblewrap, OTHER_USER);",
    replace: "const user: string[] = [];",
    test: { file: SANDBOX, title: "another user than the operator runs programs in a clean room" },
  },
  {
    name: "A clean room sees what came into temporary folders since the loop began.",
    file: "packages/test-runner/src/clean-room/hide-newer.ts",
    find: "const isOld = (ms: number) => ms <= since.getTime();",
    replace: "const isOld = (ms: number) => ms > 0;",
    test: {
      file: "packages/test-runner/test/covers.test.ts",
      title: "a room has temporary folders without what came into them since",
    },
  },
  {
    name: "A clean room sees packages that are newer than the loop.",
    file: "packages/test-runner/src/clean-room/hide-newer.ts",
    find: "...withoutPaths(newer, beside),",
    replace: "...withoutPaths([], beside), ...newer.slice(newer.length),",
    test: {
      file: "packages/test-runner/test/covers.test.ts",
      title: "a room is without files and folders that are newer, and sees all beside them",
    },
  },
  {
    name: "A source is told that it was handed a mock.",
    file: "packages/verify/src/direct/disguise.ts",
    find: "return asks === undefined || sources.some((file) => asks.includes(file));",
    replace: "return false;",
    test: {
      file: "packages/verify/test/disguise.test.ts",
      title: "a source cannot tell mocks and mocked clocks of node:test from what they stand for",
    },
  },
  {
    name: "A canary that no run came to is held.",
    file: "packages/verify/src/canary.ts",
    find: "suspicious.length === 0 && notRed.length === expected.length",
    replace: "suspicious.length === 0 && notRed.length > expected.length",
    test: {
      file: "packages/verify/test/canary.test.ts",
      title: "a check before the tests that stops at files of ours: nothing was tried out",
    },
  },
  {
    name: "A loop is blamed for a canary that its command leaves out and for the bug that it repaired.",
    file: "packages/verify/src/canary.ts",
    find: '(await run(await options.room("start"), { withFailing: false })).passed',
    replace: "true",
    test: {
      file: "packages/verify/test/canary.test.ts",
      title: "a command that names its test files leaves out ours: nothing was tried out",
    },
  },
  {
    name: "A script that does the testing may be replaced by one that passes.",
    file: "packages/verify/src/emptied.ts",
    find: "if (turned.length === 0) continue;",
    replace: "if (turned.length >= 0) continue;",
    test: {
      file: "packages/verify/test/emptied.test.ts",
      title: "decides by itself: a script that does the testing, replaced by one that passes",
    },
  },
  {
    name: "A source that takes itself out of a check is proven.",
    file: "packages/verify/src/overlooked.ts",
    find: "left.filter((pair) => !atStart.includes(pair))",
    replace: "left.filter((pair) => atStart.includes(pair))",
    test: {
      file: "packages/verify/test/overlooked.test.ts",
      title: "takes itself out: a source of Python",
    },
  },
  {
    name: "A source that a linter reads is taken for what decides.",
    file: "packages/verify/src/emptied.ts",
    find: "if (turned.some((command) => !failed.has(command))) judges.push(file);",
    replace: "judges.push(file);",
    test: {
      file: "packages/verify/test/emptied.test.ts",
      title: "decides nothing: what a linter reads and never runs",
    },
  },
  {
    name: "Calls cannot be repeated under a runner that compiles its tests to CommonJS.",
    file: "packages/verify/src/replay/javascript/javascript.ts",
    find: `'createRequire("/")'}(`,
    replace: `"createRequire(import.meta.url)"}(`,
    test: { file: REPLAY, title: "tests that are compiled to CommonJS" },
  },
  {
    name: "A replay is held although no test could repeat the calls that gave something else.",
    file: "packages/verify/src/replay/compare-uses.ts",
    find: "return suspected.every(isRepeated) ? [] : null;",
    replace: "return suspected.every(isRepeated) ? [] : [];",
    test: { file: REPLAY, title: "tests that can be recorded and not repeated: nothing is held" },
  },
  {
    name: "Calls of a Python that is installed in the project are repeated by a program that is not there.",
    file: "packages/verify/src/replay/program.ts",
    find: "recording?.program && inRoom(recording.program, place);",
    replace: "recording?.program;",
    test: { file: REPLAY, title: "Python that is installed in the project" },
  },
  {
    name: "A linter beside the tests is a test to the checks of the proof, and no calls are repeated.",
    file: "packages/orchestrator/src/proof/cells.ts",
    find: `status === "passed" && isTest(id, commands)`,
    replace: `status === "passed" && isTest(id, [])`,
    test: {
      file: "packages/orchestrator/test/proof.test.ts",
      title: "checks of the proof are about tests, and not about commands that report none",
    },
  },
  {
    name: "A function that is called often hides the calls of others from the replay.",
    file: "packages/verify/src/replay/record.ts",
    find: "if (before >= CALLS_OF_ONE ||",
    replace: "if (before >= CALLS ||",
    test: {
      file: "packages/verify/test/replay-many.test.ts",
      title: "a call behind many others is repeated",
    },
  },
  {
    name: "Ordinary programs see the room where it is, and not in the place of the project.",
    file: "packages/test-runner/src/clean-room/sandbox.ts",
    find: "!QUOTABLE.test(project) || bubblewrap === null",
    replace: "!QUOTABLE.test(project) || bubblewrap !== null",
    test: {
      file: "packages/verify/test/place.test.ts",
      title: "a call in JavaScript: what is right everywhere else only is shown",
      needs: [BUBBLEWRAP],
    },
  },
  {
    name: "What stands beside the project's files is missing where ordinary programs run.",
    file: "packages/test-runner/src/clean-room/sandbox.ts",
    find: "if (entries > ENTRIES) return;",
    replace: "if (entries > 0) return;",
    test: {
      file: "packages/verify/test/place.test.ts",
      title: "a call in Python: what is right everywhere else only is shown",
      needs: [BUBBLEWRAP],
    },
  },
  {
    name: "Tests cannot be built in the place of the project, for its folders are shown to read.",
    file: "packages/test-runner/src/clean-room/sandbox.ts",
    find: "READ_ONLY.has(name) || !(await copyUnlessLarge",
    replace: "READ_ONLY.size > 0 || !(await copyUnlessLarge",
    test: {
      file: "packages/verify/test/place.test.ts",
      title: "tests are built there into a folder that is there already",
      needs: [BUBBLEWRAP],
    },
  },
  {
    name: "Calls are repeated under the runner in a room, but by ordinary programs in the place of the project.",
    file: "packages/test-runner/src/run-part.ts",
    find: "wrap: place?.wrap?.(cwd) ??",
    replace: "wrap:",
    test: {
      file: "packages/verify/test/place.test.ts",
      title: "what rests on the place alone is the same to a test and in use",
      needs: [BUBBLEWRAP],
    },
  },
  {
    name: "Of a project of several languages the tests of the first one are run alone.",
    file: "packages/test-runner/src/detect/detect.ts",
    find: "if (isOf(ecosystem, top)) add(",
    replace: "if (isOf(ecosystem, top) && atTop.length === 0) add(",
    test: {
      file: "packages/test-runner/test/detect.test.ts",
      title: "runs the tests of every ecosystem that the top folder names",
    },
  },
  {
    name: "A file of tests with an odd name is laid over the start as a source.",
    file: "packages/core/src/proof/roles.ts",
    find: 'if (facts.startTestFiles.has(path)) return "tests";',
    replace: "",
    test: {
      file: PROOF_ROLES,
      title: "is one of the tests where the baseline found tests in it, whatever it is called",
    },
  },
  {
    name: "A file that could not be loaded at the start is red for ever.",
    file: "packages/orchestrator/src/proof/cells.ts",
    find: `    .filter((id) => id.endsWith(UNLOADED) && tests[id] === undefined)`,
    replace: `    .filter((id) => id.endsWith(UNLOADED) && tests[id] === null)`,
    test: { file: SQUARE_FILES, title: "is green once its tests are reported" },
  },
  {
    name: "What sources say now makes data of a file of the start.",
    file: "packages/orchestrator/src/proof/square-files.ts",
    find: "      const files = isOld(path) ? then : now;",
    replace: "      const files = isOld(path) ? now : now;",
    test: { file: SQUARE_FILES, title: "is named by what sources said then" },
  },
  {
    name: "New tests are never checked.",
    file: "packages/orchestrator/src/proof/square.ts",
    find: "found.length === 0 && !isRefused && others.length + withStart.size > 0",
    replace: "found.length === 0 && !isRefused && others.length + withStart.size > 1000",
    test: {
      file: "packages/orchestrator/test/proof.test.ts",
      title: "new tests are checked too",
    },
  },
  {
    name: "A file in which the tests assert is a source if it is not called a helper.",
    file: "packages/core/src/proof/roles.ts",
    find: "TEST_SUPPORT.test(path) || facts.assertingFiles.has(path);",
    replace: "TEST_SUPPORT.test(path);",
    test: { file: DOUBTFUL_FILES, title: "asserts for the tests is asked about" },
  },
];
