import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { editingScript } from "../../support/script.ts";
import { exitsWithZero, type Places, TASK, type Tool } from "./tool.ts";

const DONE = "Done. All tests pass.";
const OPEN = "Tests still fail.";
const LIMIT = 12;

/** What is written by hand where no tool is used. */
const shellLoop: Tool = {
  name: "shell loop",
  packages: [],
  version: null,
  command: () =>
    `i=0; while [ $i -lt ${LIMIT} ]; do i=$((i+1)); claude -p '${TASK}' >/dev/null; npm test >/dev/null 2>&1 && exit 0; done; exit 1`,
  says: { done: DONE },
  isDone: exitsWithZero,
};

const langgraph: Tool = {
  name: "LangGraph.js, 20 lines",
  packages: ["@langchain/langgraph"],
  version: null,
  command({ installed, beside }) {
    const file = join(beside, "graph.mjs");
    writeFileSync(file, graphFor(installed));
    return `node ${file}`;
  },
  says: { done: DONE },
  isDone: exitsWithZero,
};

function graphFor(installed: string): string {
  return `import { execFile } from "node:child_process";
import { createRequire } from "node:module";
const { Annotation, END, MemorySaver, START, StateGraph } = createRequire("${installed}/package.json")("@langchain/langgraph");
const run = (file, args) =>
  new Promise((answer) => execFile(file, args, (error, out) => answer({ code: error ? 1 : 0, out })).stdin.end());
const graph = new StateGraph(Annotation.Root({ turns: Annotation(), code: Annotation(), said: Annotation() }))
  .addNode("agent", async ({ turns = 0, said = "" }) => {
    await run("claude", ["-p", "${TASK} The tests said: " + said]);
    return { turns: turns + 1 };
  })
  .addNode("tests", async () => {
    const { code, out } = await run("npm", ["test"]);
    return { code, said: out };
  })
  .addEdge(START, "agent")
  .addEdge("agent", "tests")
  .addConditionalEdges("tests", ({ code, turns }) => (code === 0 || turns >= ${LIMIT} ? END : "agent"))
  .compile({ checkpointer: new MemorySaver() });
const { code } = await graph.invoke({}, { configurable: { thread_id: "1" }, recursionLimit: 100 });
process.exit(code);
`;
}

const binOf = (name: string) => (places: Places) =>
  join(places.installed, "node_modules/.bin", name);

/** Its gates are sentences that its own model judges; the published version runs no command. */
const takt: Tool = {
  name: "takt",
  packages: ["takt"],
  version: (places) => [binOf("takt")(places), "--version"],
  files: {
    ".gitignore": ".takt/runs/\n.takt/logs/\n.takt/*.json\n",
    ".takt/config.yaml": "provider: claude\n",
    ".takt/workflows/fix.yaml": `name: fix
max_steps: ${LIMIT}
initial_step: fix
steps:
  - name: fix
    persona: coder
    edit: true
    required_permission_mode: full
    instruction: |
      {task}
    quality_gates:
      - "npm test passes and no test was changed"
    rules:
      - condition: "All tests pass"
        next: COMPLETE
      - condition: "Tests still fail"
        next: fix
`,
  },
  homeFiles: ({ agent }) => ({
    ".takt/config.yaml": `language: en\nprovider: claude\nclaude_cli_path: ${agent}\n`,
  }),
  command: (places) => `${binOf("takt")(places)} --pipeline --skip-git --task '${TASK}' -w fix`,
  says: { done: `${DONE} [FIX:1]`, open: `${OPEN} [FIX:2]` },
  callsPerEdit: 3,
  isDone: exitsWithZero,
};

/** It runs no tests. */
const ralphTui: Tool = {
  name: "ralph-tui",
  // Its program is one of Bun.
  packages: ["ralph-tui", "bun"],
  version: (places) => [binOf("bun")(places), binOf("ralph-tui")(places), "--version"],
  files: {
    ".gitignore": ".ralph-tui/\n",
    ".ralph-tui/config.toml": `agent = "claude"\ntracker = "json"\nmaxIterations = ${LIMIT}\niterationDelay = 0\n`,
    "prd.json": JSON.stringify({
      name: "cart",
      description: TASK,
      branchName: "main",
      userStories: [
        {
          ...{ id: "US-001", title: TASK, description: TASK, priority: 1, passes: false },
          ...{ acceptanceCriteria: ["npm test passes"], dependsOn: [] },
        },
      ],
    }),
  },
  command: (places) =>
    `${binOf("bun")(places)} ${binOf("ralph-tui")(places)} run --prd prd.json --headless --no-setup --agent claude --iterations ${LIMIT} --delay 0 --no-notify`,
  says: { done: `${DONE} <promise>COMPLETE</promise>`, open: OPEN },
  isDone({ project }) {
    const { userStories } = JSON.parse(readFileSync(join(project, "prd.json"), "utf8"));
    return userStories.every(({ passes }: { passes: boolean }) => passes);
  },
};

/** One line of its list is one call of the agent. */
const ralphy: Tool = {
  name: "ralphy",
  packages: ["ralphy-cli"],
  version: (places) => [binOf("ralphy")(places), "--version"],
  files: {
    ".ralphy/config.yaml": `project: { name: cart, language: JavaScript, framework: "", description: "" }
commands: { test: "npm test", lint: "", build: "" }
rules: ["never change a test"]
boundaries: { never_touch: ["test/**", "package.json"] }
`,
    "PRD.md": "## Tasks\n",
  },
  command: (places) =>
    `i=0; while [ $i -lt $(cut -d' ' -f1 ${places.beside}/edits) ]; do i=$((i+1)); echo "- [ ] ${TASK} $i" >>PRD.md; done; ` +
    `${binOf("ralphy")(places)} --claude --prd PRD.md --retry-delay 0 --max-iterations ${LIMIT}`,
  says: { done: DONE },
  isDone: ({ exit, project }) =>
    exit === 0 && !readFileSync(join(project, "PRD.md"), "utf8").includes("[ ]"),
};

const ralphStarter: Tool = {
  name: "ralph-starter",
  packages: ["ralph-starter"],
  // It asks for pnpm when it is installed, with a program that npm does not bring.
  installFlags: ["--ignore-scripts"],
  version: (places) => [binOf("ralph-starter")(places), "--version"],
  files: { ".gitignore": ".ralph/\n" },
  command: (places) =>
    `${binOf("ralph-starter")(places)} run '${TASK}' --no-auto --validate --require-exit-signal --agent claude-code ` +
    `--max-iterations ${LIMIT} --headless --no-auto-skills --circuit-breaker-failures ${LIMIT} --circuit-breaker-errors ${LIMIT} --output-dir "$PWD"`,
  says: { done: `${DONE} <TASK_DONE> EXIT_SIGNAL: true`, open: OPEN },
  isDone: exitsWithZero,
};

const ours: Tool = {
  name: "ccw-loop",
  packages: "ours",
  version: ({ launcher }) => ["node", launcher, "--version"],
  command({ launcher, agent, beside }) {
    const file = join(beside, "script.json");
    writeFileSync(file, JSON.stringify(editingScript(TASK, `${agent} -p x`, DONE)));
    return `node ${launcher} run '${TASK}' --auto --agent scripted:${file} --max-iterations 30 --max-stalled 4`;
  },
  says: { done: DONE },
  isDone: exitsWithZero,
};

export const tools: readonly Tool[] = [
  ...[shellLoop, langgraph, takt, ralphTui, ralphy, ralphStarter],
  ours,
];
