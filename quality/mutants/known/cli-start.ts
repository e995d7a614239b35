import type { Mutant } from "../mutant.ts";

const PREFLIGHT = "packages/orchestrator/test/preflight.test.ts";

export const mutants: Mutant[] = [
  {
    name: "A test of a tool runs where only a shim of the tool is installed.",
    file: "packages/testkit/src/process/works.ts",
    find: 'return spawnSync(program, args, { stdio: "ignore" }).status === 0;',
    replace: 'return spawnSync(program, args, { stdio: "ignore" }).error === undefined;',
    test: {
      file: "packages/testkit/test/process/works.test.ts",
      title: "fails, as a shim without a toolchain does",
    },
  },
  {
    name: "The launchers die with a SyntaxError on Node 20.",
    file: "packages/cli/bin/start.js",
    find: 'const { fileURLToPath } = await builtin("node:url");',
    replace:
      'import { enableCompileCache } from "node:module";\nconst { fileURLToPath } = await builtin("node:url");',
    test: { file: "packages/cli/test/start.test.ts", title: "imports only what Node 18 has" },
  },
  {
    name: "The launchers start on a Node that is too old.",
    file: "packages/cli/bin/start.js",
    find: "return minor === b ? patch >= c : minor > b;",
    replace: "return true;",
    test: { file: "packages/cli/test/start.test.ts", title: "says on Node 22.22.1 which one" },
  },
  {
    name: "The built command line has syntax that the oldest Node of its range cannot read.",
    file: "packages/cli/rolldown.config.ts",
    find: 'target: "node22.22",',
    replace: 'target: "esnext",',
    test: { file: "packages/cli/test/start.test.ts", title: "what is built has no syntax newer" },
  },
  {
    name: "A local installation tells its user to type a name that the shell does not know.",
    file: "packages/cli/src/runtime/program-call.ts",
    find: 'filter((one) => one !== "" && !one.endsWith(NPM_BIN))',
    replace: 'filter((one) => one !== "")',
    test: {
      file: "packages/cli/test/program-call.test.ts",
      title: "by npx in a project that has it",
    },
  },
  {
    name: "No shell completes the ids of loops.",
    file: "packages/cli/src/commands/completion.ts",
    find: "return here !== undefined && takesLoop(here, command);",
    replace: "return false;",
    test: { file: "packages/cli/test/completion.test.ts", title: "ids of loops, read or not" },
  },
  {
    name: "A loop is made whose agent cannot work.",
    file: "packages/orchestrator/src/service/create.ts",
    find: "await preflight.require(state.settings);",
    replace: "",
    test: { file: PREFLIGHT, title: "a loop whose agent cannot work is not made" },
  },
  {
    name: "A loop fails for good because its agent cannot work when it is resumed.",
    file: "packages/orchestrator/src/service/loop-service.ts",
    find: "await preflight.requireFor(state);",
    replace: "",
    test: { file: PREFLIGHT, title: "a loop that is to be driven is left as it is" },
  },
  {
    name: "A loop that was stopped runs, with nobody behind it, when its resume is refused.",
    file: "packages/orchestrator/src/service/loop-service.ts",
    find: "await preflight.requireForCommand(stored.state, command);",
    replace: "",
    test: {
      file: PREFLIGHT,
      title: "a loop that was stopped does not run when its agent cannot work",
    },
  },
  {
    name: "Whatever is answered becomes the command that runs the tests.",
    file: "packages/orchestrator/src/service/loop-service.ts",
    find: "await requireTestProgram(deps, stored.state, command);",
    replace: "",
    test: {
      file: "packages/orchestrator/test/sequences.test.ts",
      title: '"docs only"} runs no tests and waives none',
    },
  },
  {
    name: "A command for a loop of a module's agent does not name the module.",
    file: "packages/core/src/machine/reopen.ts",
    find: "/^(\\/|file:|acp:)/.test(agent)",
    replace: 'agent === "module"',
    test: {
      file: "packages/cli/test/own-modules.test.ts",
      title: "what is printed next names it again, so that it can be pasted",
    },
  },
  {
    name: "A full stop behind a command is pasted with it.",
    file: "packages/view/src/text/commands.ts",
    find: '.replaceAll(STOP, "$1")',
    replace: "",
    test: {
      file: "packages/cli/test/hints.test.ts",
      title: "nothing stands behind a command that would be pasted with it",
    },
  },
  {
    name: "A login is recommended with a name that the shell does not know.",
    file: "packages/agent-codex/src/launch/codex-binary.ts",
    find: 'return folder.endsWith(LOCAL) ? commandByPath(program, cwd) : "codex";',
    replace: 'return "codex";',
    test: {
      file: "packages/agent-codex/test/launch-files.test.ts",
      title: "name Codex as it is typed here",
    },
  },
];
