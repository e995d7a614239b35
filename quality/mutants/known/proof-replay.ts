import { GO, type Mutant } from "../mutant.ts";

const CHECKS = "packages/verify/src/checks";
const REPLAY = "packages/verify/test/replay.test.ts";
const USES = "packages/verify/test/replay-uses.test.ts";
const EVASIONS = "packages/verify/test/replay-evasions.test.ts";
const DIRECT = "packages/verify/test/direct.test.ts";
const CANARY = "packages/verify/test/canary.test.ts";
const EQUALITY = "packages/verify/test/equality.test.ts";

const HANDED = "packages/verify/test/handed.test.ts";

/** Whether what tests see of the sources is what everybody else sees. */
export const mutants: Mutant[] = [
  {
    name: "What is different in a terminal is blamed although the tests pass with it.",
    file: `${CHECKS}/replay/compare-uses.ts`,
    find: "outcome: uses[n] ?? null })) others[n] = [];",
    replace: "outcome: uses[n] ?? null })) continue;",
    test: { file: HANDED, title: "is no matter where the tests pass with it" },
  },
  {
    name: "Tests may refuse what they are handed.",
    file: `${CHECKS}/replay/record.ts`,
    find: 'return areMade && replayer.options.green.every(({ id }) => states[id] === "passed");',
    replace: "return areMade && states !== undefined;",
    test: { file: HANDED, title: "is one where a test refuses a part of it" },
  },
  {
    name: "Listings show what the recording put beside the modules.",
    file: `${CHECKS}/replay/javascript/hiding.ts`,
    find: "hideOurs();\n`",
    replace: "`",
    test: {
      file: HANDED,
      title: "a program that loads what lies in a folder: await readdir(folder)",
    },
  },
  {
    name: "Exports that change keep their first value while calls are recorded.",
    file: "packages/verify/src/checks/replay/javascript/javascript.ts",
    find: "if (values.includes(name))",
    replace: "if (!values)",
    test: {
      file: "packages/verify/test/replay-modules.test.ts",
      title: "calls of modules are recorded however these work",
    },
  },
  {
    name: "Calls of methods are not recorded in JavaScript and TypeScript.",
    file: `${CHECKS}/replay/javascript/recorder.ts`,
    find: "isClass(f) ? wrapClass(f, name, module, log) : wrapFunction",
    replace: "isClass(f) ? f : wrapFunction",
    test: { file: REPLAY, title: "JavaScript under node:test: the same" },
  },
  {
    name: "Calls of methods are not recorded in Python.",
    file: `${CHECKS}/replay/python/recorder.ts`,
    find: `setattr(cls, name, self.around(value, {**named, "kind": "method"}, True, 1, known))`,
    replace: "pass",
    test: { file: REPLAY, title: "Python under unittest: the same" },
  },
  {
    name: "What differs from the recording is blamed without a test of ours that repeats it.",
    file: `${CHECKS}/replay/compare-uses.ts`,
    find: "    ...against(repeated, stable),",
    replace: "    ...differences(calls, gave, stable),",
    test: { file: REPLAY, title: "the same, also after a state and a mock" },
  },
  {
    name: "A program in a terminal whose results are gone says that nothing differs.",
    file: `${CHECKS}/replay/compare-uses.ts`,
    find: "  if (lacking.length === 0) return false;\n",
    replace: "  if (lacking.length > 0) return false;\n",
    test: { file: EVASIONS, title: "removes what came of its calls in a terminal" },
  },
  {
    name: "Ordinary programs never run in a terminal.",
    file: `${CHECKS}/replay/program.ts`,
    find: "    ? inTerminal(direct)\n",
    replace: "    ? direct\n",
    test: { file: REPLAY, title: "what is different in a terminal" },
  },
  {
    name: "Only one assertion function is looked at.",
    file: `${CHECKS}/canary-file.ts`,
    find: "  const titles = [name, everyOf(name)].filter((title) => body.includes(title));",
    replace: "  const titles = [name];",
    test: { file: CANARY, title: "a replaced assertion function is noticed" },
  },
  {
    name: "One run is enough for an objection.",
    file: `${CHECKS}/check.ts`,
    find: "=== 0 ? first : run(2);",
    replace: ">= 0 ? first : run(2);",
    test: { file: CANARY, title: "a run that once ends before it reports" },
  },
  {
    name: "Tests that are built first have no sources.",
    file: `${CHECKS}/check-options.ts`,
    find: "    return { id: one.id, file: files.length === 1 ? files[0] : undefined };",
    replace: "    return { id: one.id, file: undefined };",
    test: { file: CANARY, title: "tests that are built first" },
  },
  {
    name: "Caches that tools write among the packages are taken for changed packages.",
    file: "packages/workspace-git/src/clean-room/installed-files.ts",
    find: "({ path }) => isCache(folders, textOf(path))",
    replace: "() => false",
    test: {
      file: "packages/workspace-git/test/room.test.ts",
      title: "installed files that are not what they were are left out",
    },
  },
  {
    name: "Packages that changed are left out of the room although a lockfile describes them.",
    file: "packages/orchestrator/src/proof/rooms.ts",
    find: "if (changed.length > 0) await installAnew",
    replace: "if (changed.length < 0) await installAnew",
    test: {
      file: "packages/cli/test/packages.test.ts",
      title: "is installed anew for the proof, as the lockfile says",
    },
  },
  {
    name: "Expected values are made wrong only where a number ends the line.",
    file: `${CHECKS}/falsify/falsify.ts`,
    find: "MOVERS.find(({ handles }) => handles.test(path))",
    replace: 'MOVERS.find(({ handles }) => handles.test(path) && path === "")',
    test: { file: EQUALITY, title: "other expectations are noticed" },
  },
  {
    name: "A test that comes to no assertion is blamed for passing.",
    file: `${CHECKS}/canary.ts`,
    find: "asked.filter(({ isGreen }) => isGreen(states))",
    replace: "asked.filter(({ isGreen }) => isGreen(states) && asked.length < 0)",
    test: { file: EQUALITY, title: "comes to no assertion of equality" },
  },
  {
    name: "Tests of Go are started directly only in a program of tests.",
    file: `${CHECKS}/direct/go.ts`,
    find: "programs.push(...(await ordinaryPrograms({ ...about, delay }, one)));",
    replace: "",
    test: { file: DIRECT, title: "go, by the flags", needs: [GO] },
  },
  {
    name: "Nothing is recorded where an unchanged module cannot be.",
    file: `${CHECKS}/replay/replay.ts`,
    find: "changed.length > 0 && changed.length < all.length ?",
    replace: "changed.length < 0 ?",
    test: { file: USES, title: "the very function that an unchanged module has" },
  },
  {
    name: "Tests that are started directly have no terminal.",
    file: `${CHECKS}/direct/direct.ts`,
    find: "inTerminal(`sh",
    replace: "String(`sh",
    test: { file: DIRECT, title: "go, by its terminal", needs: [GO] },
  },
  {
    name: "Programs of tests of Go are always young.",
    file: `${CHECKS}/direct/go-program.ts`,
    find: "time.Sleep($",
    replace: "time.Sleep(0 * $",
    test: { file: DIRECT, title: "go, by its age", needs: [GO] },
  },
  {
    name: "Tests of Go in a package of their own are not started directly.",
    file: `${CHECKS}/direct/go.ts`,
    find: "...(outside.length > 0 ?",
    replace: "...(outside.length < 0 ?",
    test: { file: DIRECT, title: "go, in a package of tests", needs: [GO] },
  },
  {
    name: "A program that ends before its tests do counts as one that came to its end.",
    file: `${CHECKS}/direct/direct-start.ts`,
    find: 'broken: suitesWith(({ has }) => !has("end") && !has("unbuilt")),',
    replace: "broken: [],",
    test: { file: DIRECT, title: "node:test, which ends it" },
  },
  {
    name: "A clock that is put forward is seen only by who asks for it later.",
    file: `${CHECKS}/replay/clock.ts`,
    find: "const later = () => now() + ahead;",
    replace: "const later = () => now();",
    test: { file: "packages/verify/test/replay.test.ts", title: "in JavaScript" },
  },
  {
    name: "Points in time in a result count as another behaviour.",
    file: `${CHECKS}/replay/results.ts`,
    find: 'partsOf(text.replaceAll(TIME, ""))',
    replace: "partsOf(text)",
    test: {
      file: "packages/verify/test/compare.test.ts",
      title: "results that are the same but for the time",
    },
  },
  {
    name: "Tests whose calls were repeated are not started directly.",
    file: `${CHECKS}/check.ts`,
    find: "    const direct = await started;\n",
    replace:
      '    const direct = await started;\n    if (results.some(({ check: { result } }, n) => n > 0 && result === "held")) return { results, isApart };\n',
    test: { file: USES, title: "everything that tests use of a source is repeated" },
  },
  {
    name: "Arguments and objects that a call changes are not compared.",
    file: `${CHECKS}/replay/javascript/values.ts`,
    find: 'before === after || after === null ? "" : " and left " + after',
    replace: '""',
    test: { file: USES, title: "a lie is found wherever tests see it" },
  },
  {
    name: "What functions that a call gave give is not compared.",
    file: `${CHECKS}/replay/javascript/recorder.ts`,
    find: "inside.getStore()\n          ? Reflect",
    replace: "value\n          ? Reflect",
    test: { file: USES, title: "a lie is found wherever tests see it" },
  },
  {
    name: "A call that ends an ordinary program has no result.",
    file: `${CHECKS}/replay/results.ts`,
    find: "    results[call] = ENDED;",
    replace: "    results[call] = null;",
    test: { file: EVASIONS, title: "ends the program" },
  },
  {
    name: "What ends under the runner as well is blamed.",
    file: `${CHECKS}/replay/results.ts`,
    find: "  if (call !== undefined) {",
    replace: "  if (call !== undefined && whole === false) {",
    test: { file: "packages/verify/test/results.test.ts", title: "a call ended the program" },
  },
  {
    name: "A module that tests alone can load is not blamed.",
    file: `${CHECKS}/replay/replay.ts`,
    find: "  if (unloadable.length > 0) {",
    replace: "  if (unloadable.length > 1000) {",
    test: { file: EVASIONS, title: "cannot be loaded" },
  },
  {
    name: "Calls beyond the first thousand are not told of.",
    file: `${CHECKS}/replay/record.ts`,
    find: "  if (left.size > 0) recording",
    replace: "  if (left.size > 1000) recording",
    test: { file: EVASIONS, title: "lies behind the thousandth call" },
  },
  {
    name: "Long results are equal.",
    file: `${CHECKS}/replay/javascript/values.ts`,
    find: '"... " + text.length + " " + digest',
    replace: '"... " + text.length',
    test: { file: EVASIONS, title: "lies of long lists" },
  },
  {
    name: "Errors are compared by name and message alone.",
    file: `${CHECKS}/replay/javascript/values.ts`,
    find: "const more = Object.keys(parts).length === 0 ? null : serialize(parts);",
    replace: "const more = parts === error ? serialize(parts) : null;",
    test: { file: EVASIONS, title: "lies within an error" },
  },
  {
    name: "Sources are loaded before the recorder.",
    file: `${CHECKS}/replay/javascript/javascript.ts`,
    find: `    \`import { ended, wrapExport } from \${JSON.stringify(beside(path, first, users))};\`,\n    \`import * as real from \${load};\`,`,
    replace: `    \`import * as real from \${load};\`,\n    \`import { ended, wrapExport } from \${JSON.stringify(beside(path, first, users))};\`,`,
    test: { file: EVASIONS, title: "keeps a file from being written" },
  },
  {
    name: "No program has just started.",
    file: `${CHECKS}/replay/program.ts`,
    find: "...(ahead > 0 || justStarted ? { delay: 0 } : {})",
    replace: "...(ahead > 0 ? { delay: 0 } : {})",
    test: { file: EVASIONS, title: "lies when it has just started" },
  },
  {
    name: "Modules that tests load and nobody changed are not recorded.",
    file: `${CHECKS}/replay/replay.ts`,
    find: "  const all = [...new Set([...changed, ...used.filter",
    replace: "  const all = [...new Set([...changed, ...used.slice(1000).filter",
    test: { file: EVASIONS, title: "is not the module that tests load" },
  },
  {
    name: "A function that differs in one part at the start may differ in all.",
    file: `${CHECKS}/replay/results.ts`,
    find: "  return [...found.differing].every((part) => known.differing.has(part));",
    replace: "  return found.all === known.all;",
    test: { file: "packages/verify/test/compare.test.ts", title: "differ at the start" },
  },
  {
    name: "What is steady under test alone is left alone.",
    file: `${CHECKS}/replay/results.ts`,
    find: "tested != null && isSteady && one != null",
    replace: "tested != null && !isSteady && one != null",
    test: { file: "packages/verify/test/compare.test.ts", title: "steady under test alone" },
  },
];
