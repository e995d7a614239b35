import type { Mutant } from "../mutant.ts";

const CHECKS = "packages/verify/src/checks";
const REPLAY = "packages/verify/test/replay.test.ts";
const USES = "packages/verify/test/replay-uses.test.ts";
const EVASIONS = "packages/verify/test/replay-evasions.test.ts";
const DIRECT = "packages/verify/test/direct.test.ts";
const CANARY = "packages/verify/test/canary.test.ts";

/** Whether what tests see of the sources is what everybody else sees. */
export const mutants: Mutant[] = [
  {
    name: "Calls of methods are not recorded in JavaScript and TypeScript.",
    file: `${CHECKS}/replay/javascript/noting.ts`,
    find: "isClass(f) ? notedClass(f, name, module, log) : notedFunction",
    replace: "isClass(f) ? f : notedFunction",
    test: { file: REPLAY, title: "JavaScript under node:test: the same" },
  },
  {
    name: "Calls of methods are not recorded in Python.",
    file: `${CHECKS}/replay/python/noting.ts`,
    find: `setattr(cls, name, self.around(value, {**named, "kind": "method"}, True, 1, known))`,
    replace: "pass",
    test: { file: REPLAY, title: "Python under unittest: the same" },
  },
  {
    name: "What differs from the recording is blamed without a test of ours that repeats it.",
    file: `${CHECKS}/replay/compared.ts`,
    find: "    ...against(repeated, stable),",
    replace: "    ...differences(calls, gave, stable),",
    test: { file: REPLAY, title: "the same, also after a state and a mock" },
  },
  {
    name: "Ordinary programs never run in a terminal.",
    file: `${CHECKS}/replay/repeat.ts`,
    find: "const command = terminal ? inTerminal(direct) : young",
    replace: "const command = terminal ? direct : young",
    test: { file: REPLAY, title: "what is different in a terminal" },
  },
  {
    name: "Only one assertion function is looked at.",
    file: `${CHECKS}/canary.ts`,
    find: "  const titles = [name, everyOf(name)].filter((title) => body.includes(title));",
    replace: "  const titles = [name];",
    test: { file: CANARY, title: "a replaced assertion function is noticed" },
  },
  {
    name: "Tests that are built first have no sources.",
    file: `${CHECKS}/test-sources.ts`,
    find: "    return { id: one.id, file: files.length === 1 ? files[0] : undefined };",
    replace: "    return { id: one.id, file: undefined };",
    test: { file: CANARY, title: "tests that are built first" },
  },
  {
    name: "Nothing is started directly where nothing was recorded.",
    file: `${CHECKS}/check.ts`,
    find: 'if (replay.check.result !== "not_run" &&',
    replace: "if (replay.check.duration_ms >= 0 &&",
    test: { file: "packages/verify/test/direct.test.ts", title: "show what asks for its runner" },
  },
  {
    name: "Caches that tools write among the packages are taken for changed packages.",
    file: "packages/workspace-git/src/lend/installed-files.ts",
    find: "      if (isCache(folders, textOf(path))) continue;\n",
    replace: "",
    test: {
      file: "packages/workspace-git/test/room.test.ts",
      title: "installed files that are not what they were are left out",
    },
  },
  {
    name: "Packages that changed are left out of the room although a lockfile describes them.",
    file: "packages/orchestrator/src/proof/rooms.ts",
    find: "      if (changed.length > 0) {",
    replace: "      if (changed.length < 0) {",
    test: {
      file: "packages/cli/test/packages.test.ts",
      title: "is installed anew for the proof, as the lockfile says",
    },
  },
  {
    name: "Tests whose names a script only quotes are never falsified.",
    file: `${CHECKS}/falsify.ts`,
    find: "  const name = names.find((one) => quotes(line, one));",
    replace: "  const name = names.find((one) => quotes(line, one) && line.length < 0);",
    test: { file: CANARY, title: "tests that a script names" },
  },
  {
    name: "Tests of Go are started directly only in a program of tests.",
    file: `${CHECKS}/direct-go.ts`,
    find: "programs.push(...(await ordinaryPrograms(about, one)));",
    replace: "",
    test: { file: DIRECT, title: "go, by the flags" },
  },
  {
    name: "Tests of Go in a package of their own are not started directly.",
    file: `${CHECKS}/direct-go.ts`,
    find: "...(outside.length > 0 ?",
    replace: "...(outside.length < 0 ?",
    test: { file: DIRECT, title: "go, in a package of tests" },
  },
  {
    name: "A program that ends before its tests do counts as one that came to its end.",
    file: `${CHECKS}/direct-output.ts`,
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
    file: `${CHECKS}/replay/compare.ts`,
    find: 'partsOf(text.replaceAll(TIME, ""))',
    replace: "partsOf(text)",
    test: {
      file: "packages/verify/test/compare.test.ts",
      title: "results that are the same but for the time",
    },
  },
  {
    name: "What tests use and nothing can repeat is not started directly either.",
    file: `${CHECKS}/check.ts`,
    find: 'replay.check.result !== "not_run" && replay.unseen.length === 0',
    replace: 'replay.check.result !== "not_run"',
    test: { file: USES, title: "what cannot be repeated is started directly" },
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
    file: `${CHECKS}/replay/javascript/noting.ts`,
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
    find: "const more = Object.keys(parts).length === 0 ? null : told(parts);",
    replace: "const more = parts === error ? told(parts) : null;",
    test: { file: EVASIONS, title: "lies within an error" },
  },
  {
    name: "Sources are loaded before the recorder.",
    file: `${CHECKS}/replay/javascript/javascript.ts`,
    find: `    \`import { noted } from \${JSON.stringify(beside(path, first, users))};\`,\n    \`import * as real from \${load};\`,`,
    replace: `    \`import * as real from \${load};\`,\n    \`import { noted } from \${JSON.stringify(beside(path, first, users))};\`,`,
    test: { file: EVASIONS, title: "keeps a file from being written" },
  },
  {
    name: "No program has just started.",
    file: `${CHECKS}/replay/repeat.ts`,
    find: "...(ahead > 0 || young ? { delay: 0 } : {}),",
    replace: "...(ahead > 0 ? { delay: 0 } : {}),",
    test: { file: EVASIONS, title: "lies when it has just started" },
  },
  {
    name: "Modules that tests load and nobody changed are not recorded.",
    file: `${CHECKS}/replay/replay.ts`,
    find: "  const sources = [...new Set([...changed, ...used.filter",
    replace: "  const sources = [...new Set([...changed, ...used.slice(1000).filter",
    test: { file: EVASIONS, title: "is not the module that tests load" },
  },
  {
    name: "A function that differs in one part at the start may differ in all.",
    file: `${CHECKS}/replay/compare.ts`,
    find: "  return [...found.differing].every((part) => known.differing.has(part));",
    replace: "  return found.all === known.all;",
    test: { file: "packages/verify/test/compare.test.ts", title: "differ at the start" },
  },
  {
    name: "What is steady under test alone is left alone.",
    file: `${CHECKS}/replay/compare.ts`,
    find: "tested != null && isSteady && one != null",
    replace: "tested != null && !isSteady && one != null",
    test: { file: "packages/verify/test/compare.test.ts", title: "steady under test alone" },
  },
];
