import type { Command } from "commander";

/** What a person types, by command; behind a `#` what it is for. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  init: ["init", "init --agent gemini --max-cost 5", "init --skill claude"],
  run: [
    'run "Fix the rounding bug in the cart"    # a menu asks before every action',
    "run --auto @TASK.md --max-cost 5          # the task is in a file",
    "git log -1 --format=%B | ccw-loop run --auto -",
    "run --edit                                # write it in your editor",
    "run --loop-id @last --auto                # go on with the loop that was made last",
  ],
  resume: ["resume @last", "resume 3f2a --reopen --max-iterations 20    # a short id will do"],
  watch: ["watch @last", "watch @last --events | jq -c .kind"],
  tui: ["tui", "tui --plain"],
  demo: ["demo"],
  start: ['start "Fix the rounding bug" --worktree', "start @TASK.md --max-duration 2h"],
  supervise: ["supervise --concurrency 2"],
  worker: ["worker --concurrency 2 --labels linux,gpu    # the store is named by CCW_LOOP_STORE"],
  serve: ["serve", "serve --socket /run/ccw-loop.sock --project ~/shop --project ~/blog"],
  "token add": ["token add ci", "token add grafana --read-only --project shop"],
  "token list": ["token list"],
  "token rotate": ["token rotate ci"],
  "token revoke": ["token revoke ci"],
  mcp: [
    "mcp --max-cost 5",
    "claude mcp add loops -- ccw-loop mcp    # for Claude Code",
    "codex mcp add loops -- ccw-loop mcp     # for Codex",
  ],
  list: ["list --status running", "list --search cart --json"],
  show: ["show @last", "show @last --receipt"],
  why: ["why @last"],
  logs: ["logs @last --follow", "logs @last --raw | jq -c .event"],
  replay: ["replay @last", "replay @last --at 3 --speed 100"],
  receipt: ["receipt @last > receipt.json"],
  report: ["report @last >> $GITHUB_STEP_SUMMARY", "report @last --format junit > ccw-loop.xml"],
  verify: ["verify @last", "verify receipt.json --repo ../other-clone"],
  timeline: ["timeline @last"],
  diff: ["diff @last --stat", "diff @last 2..5 | git apply -R    # take it back"],
  rewind: ["rewind @last 2"],
  fork: ["fork @last 2 --loop-id second-try"],
  clean: ["clean --dry-run"],
  pause: ['pause @last --reason "I look at it first"'],
  stop: ["stop @last"],
  exit: ["exit @last"],
  answer: [
    "answer @last accept",
    'answer @last "The limit is 42, not 41."',
    "answer @last @NOTE.md",
  ],
  delete: ["delete @last", "delete loop-v2-20260122T100000-3f2a9c01 --yes"],
  recover: ["recover cart-1", "recover cart-1 --yes"],
  "tasks list": ["tasks list @last"],
  "tasks add": [
    'tasks add @last "Say it in the README, too"',
    'tasks add @last "Format it" --tool bash --command "npm run format"',
  ],
  "tasks edit": ["tasks edit @last task-002 --tool gemini"],
  "tasks remove": ["tasks remove @last task-002"],
  "tasks import": ["tasks import @last ISS-1"],
  "tasks generate": ["tasks generate @last --count 3"],
  "tasks reorder": ["tasks reorder @last task-003 task-001"],
  "store status": ["store status"],
  migrate: ["migrate --dry-run"],
  export: ["export @last loop.jsonl", "export --all loops.jsonl"],
  import: ["import loops.jsonl"],
  "store migrate": ["store migrate --grant-to loops"],
  doctor: [
    "doctor",
    "doctor --agent gemini",
    "doctor --reap    # end what loops have left running",
  ],
  "agents list": ["agents list"],
  "agents test": ["agents test gemini", 'agents test "acp:my-agent --acp"'],
  "config show": ["config show", "config show --max-turns 50 --json"],
  "config test-webhook": ["config test-webhook phone"],
  completion: [
    "source <(ccw-loop completion bash)    # in ~/.bashrc",
    "source <(ccw-loop completion zsh)     # in ~/.zshrc, behind compinit",
    "completion fish > ~/.config/fish/completions/ccw-loop.fish",
  ],
};

/** The examples of a command by its full name, as lines to type. */
export function examplesOf(name: string): string[] {
  return (EXAMPLES[name] ?? []).map((line) =>
    line.includes("ccw-loop ") ? line : `ccw-loop ${line}`,
  );
}

/** Puts its examples below the help of each command; `typed` makes a command one as it is typed here. */
export function addExamples(
  parent: Command,
  typed: (command: string) => string,
  before = "",
): void {
  for (const command of parent.commands) {
    const name = `${before}${command.name()}`;
    const lines = examplesOf(name).map((line) => `  ${typed(line)}`);
    if (lines.length > 0) {
      command.addHelpText(
        "after",
        `\n${lines.length > 1 ? "Examples" : "Example"}:\n${lines.join("\n")}`,
      );
    }
    addExamples(command, typed, `${name} `);
  }
}
