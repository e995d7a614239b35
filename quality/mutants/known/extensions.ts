import type { Mutant } from "../mutant.ts";

const rule = "packages/cli/test/own-modules.test.ts";

/** Modules are code with all rights of the operator, and agents can write most files that could name one. */
export const mutants: Mutant[] = [
  {
    name: "A path in a loop's state is loaded although its operator did not name it.",
    file: "packages/cli/src/extensions/agent-registry.ts",
    find: "const byPath = this.#paths.get(name);",
    replace:
      "const byPath = this.#paths.get(name) ?? (isModulePath(name) ? this.#entry(name, { file: name, options: undefined }) : undefined);",
    test: { file: rule, title: "the state of a loop does not" },
  },
  {
    name: "A path in a request is loaded by the server.",
    file: "packages/cli/src/extensions/agent-registry.ts",
    find: "const byPath = this.#paths.get(name);",
    replace:
      "const byPath = this.#paths.get(name) ?? (isModulePath(name) ? this.#entry(name, { file: name, options: undefined }) : undefined);",
    test: { file: rule, title: "a request does not, unless the server was given that module" },
  },
  {
    name: "A command in a loop's state is run although its operator did not name it.",
    file: "packages/cli/src/extensions/agent-registry.ts",
    find: "const byPath = this.#paths.get(name);",
    replace:
      'const byPath = this.#paths.get(name) ?? (isAcpCommand(name) ? commandEntry(name, { command: acpCommandIn(name, "/") }) : undefined);',
    test: { file: "packages/cli/test/own-commands.test.ts", title: "the state of a loop" },
  },
  {
    name: "A path in a file of settings is refused without saying where to register the module.",
    file: "packages/cli/src/config/settings.ts",
    find: "for (const layer of layers.slice(1)) refuseModulePath(layer, ownFile);",
    replace: "",
    test: { file: rule, title: "`agent` of the own configuration, as a path" },
  },
  {
    name: "An agent that the project's configuration registers is left out without a word.",
    file: "packages/cli/src/config/settings.ts",
    find: "  refuseModules(project, ownFile);\n",
    replace: "",
    test: { file: rule, title: "`agents` of the project's configuration" },
  },
  {
    name: "A configuration inside of the project, where agents write, registers modules.",
    file: "packages/cli/src/extensions/operator-modules.ts",
    find: "if (isInProject(file, root)) {",
    replace: "if (false as boolean) {",
    test: { file: rule, title: "a configuration that the environment puts into the project" },
  },
  {
    name: "A supervisor fails a loop whose agent another one has.",
    file: "packages/orchestrator/src/supervisor/supervisor.ts",
    find: "      await agent(state.settings ?? {});\n",
    replace: "",
    test: {
      file: "packages/orchestrator/test/supervise-troubles.test.ts",
      title: "a loop whose agent is not registered here is left as it is",
    },
  },
  {
    name: "An error of a module's own copy of core is taken for a defect.",
    file: "packages/core/src/errors.ts",
    find: 'return isKnown && typeof details === "object" && details !== null;',
    replace: "return isKnown && Object.prototype.isPrototypeOf.call(LoopError.prototype, value);",
    test: {
      file: "packages/core/test/foreign-error.test.ts",
      title: "an error of another copy of this package is one",
    },
  },
  {
    name: "A Codex turn is failed as silent although notifications arrive.",
    file: "packages/agent-codex/src/turn/turn-record.ts",
    find: "    this.lastNotificationAt = at;\n    if",
    replace: "    if",
    test: {
      file: "packages/agent-codex/test/pure/turn.test.ts",
      title: "a notification two seconds ago",
    },
  },
];
