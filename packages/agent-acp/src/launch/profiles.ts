/**
 * What an agent means by its token counts: of this `turn`, of the `session` so far, of the `last` request alone (so
 * nothing is known of the turn), of each request beside the `chunks` of its message, or `none` at all.
 */
export type UsageMeaning = "turn" | "session" | "last" | "chunks" | "none";

/**
 * Where an agent tells the exit code of a command: `metadata` rawOutput.metadata.exit, `terminal` _meta.terminal_exit,
 * `contents` a `shell_exit` of rawOutput.contents, `text` the words "Exit code: 3" in its output.
 */
export type ExitCodePlace = "metadata" | "terminal" | "contents" | "text";

/** What there is to know about one agent, as data. */
export interface Profile {
  /** As settings name it, and as a loop keeps it. */
  name: string;
  /** As sentences name it. */
  title: string;
  /** The program and its arguments. */
  command: readonly string[];
  /** Its npm package; null where we know of none. */
  npm: string | null;
  /** How one logs in to it. */
  login: string;
  /** The mode in which it asks before it writes or runs; null takes what it starts in, unless that does not ask. */
  mode: string | null;
  /** In that mode a sandbox of its own keeps its commands in the project, and it asks nothing. */
  ownSandbox: boolean;
  usage: UsageMeaning;
  exitCode: readonly ExitCodePlace[];
  /** Its commands are told by the title of the tool call instead of its input. */
  commandInTitle: boolean;
  /** Chunks of its messages that are notes of the program, and none of the model's words. */
  asides: RegExp | null;
  /** What a turn says as a whole that has an error instead of an answer; the group is the error. */
  errorProse: RegExp | null;
  /** A refused question ends its turn, so that it has to be asked to go on. */
  refusalEndsTurn: boolean;
  /** It fetches what a person says meanwhile, after each tool. */
  fetchesMessages: boolean;
  /** Further variables of our environment that it needs, `AB_*` for all that begin so. */
  passEnv: readonly string[];
  /** What is set for it. */
  env: Readonly<Record<string, string>>;
  /**
   * Its own files and folders, in which it may write when it is contained: `~/.mine`, or `$MINE_HOME/data` where that
   * variable is set; of `$MINE_HOME/data|~/.mine` the first that is. What ends with `/` is made before it is started, as it
   * would do itself; where there is nothing of all of them, the first is.
   */
  homes: readonly string[];
}

/** An agent of which nothing is known but how it is started. */
const UNKNOWN = {
  npm: null,
  login: "Log in to it as its documentation says.",
  mode: null,
  ownSandbox: false,
  usage: "none",
  exitCode: ["metadata", "terminal", "contents"],
  commandInTitle: false,
  asides: null,
  errorProse: null,
  refusalEndsTurn: true,
  fetchesMessages: false,
  passEnv: [],
  env: {},
  homes: [],
} satisfies Partial<Profile>;

export const PROFILES = {
  gemini: {
    ...UNKNOWN,
    name: "gemini",
    title: "Gemini CLI",
    command: ["gemini", "--acp"],
    npm: "@google/gemini-cli",
    login: 'Log in with "gemini", or set GEMINI_API_KEY.',
    mode: "default",
    usage: "turn",
    exitCode: [],
    commandInTitle: true,
    refusalEndsTurn: false,
    passEnv: ["GEMINI_*", "GOOGLE_*"],
    // Otherwise it starts itself once more.
    env: { GEMINI_CLI_NO_RELAUNCH: "true" },
    homes: ["$GEMINI_CLI_HOME/.gemini|~/.gemini/"],
  },
  qwen: {
    ...UNKNOWN,
    name: "qwen",
    title: "Qwen Code",
    command: ["qwen", "--acp"],
    npm: "@qwen-code/qwen-code",
    login: 'Log in with "qwen", or set OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL.',
    mode: "default",
    usage: "chunks",
    exitCode: ["text"],
    fetchesMessages: true,
    passEnv: ["OPENAI_*", "DASHSCOPE_*", "QWEN_*"],
    // What it counts goes to a host of its maker's.
    env: { QWEN_USAGE_STATISTICS_ENABLED: "false" },
    homes: ["~/.qwen/"],
  },
  claude: {
    ...UNKNOWN,
    name: "claude",
    title: "Claude",
    command: ["claude-agent-acp"],
    npm: "@agentclientprotocol/claude-agent-acp",
    login: 'Log in with "claude", or set ANTHROPIC_API_KEY.',
    // It starts in a mode in which a model decides what to ask.
    mode: "default",
    usage: "turn",
    exitCode: ["text"],
    refusalEndsTurn: false,
    // DISABLE_TELEMETRY is its user's to say: it turns off more than that, longer caching of prompts for one.
    passEnv: ["ANTHROPIC_*", "CLAUDE_*", "DISABLE_*"],
    env: {
      DISABLE_AUTOUPDATER: "1",
      DISABLE_ERROR_REPORTING: "1",
      // One request with the whole conversation less per turn.
      CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: "false",
    },
    homes: ["$CLAUDE_CONFIG_DIR|~/.claude/", "~/.claude.json"],
  },
  opencode: {
    ...UNKNOWN,
    name: "opencode",
    title: "OpenCode",
    command: ["opencode", "acp"],
    npm: "opencode-ai",
    login: 'Log in with "opencode auth login".',
    mode: "build",
    usage: "last",
    exitCode: ["metadata"],
    passEnv: ["OPENCODE_*", "XDG_*", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      // It allows everything unless it is told otherwise.
      OPENCODE_PERMISSION: '{"edit":"ask","bash":"ask","webfetch":"ask"}',
    },
    homes: [
      "$XDG_DATA_HOME/opencode|~/.local/share/opencode/",
      "$XDG_STATE_HOME/opencode|~/.local/state/opencode/",
      "$XDG_CACHE_HOME/opencode|~/.cache/opencode/",
      "$XDG_CONFIG_HOME/opencode|~/.config/opencode/",
    ],
  },
  copilot: {
    ...UNKNOWN,
    name: "copilot",
    title: "GitHub Copilot CLI",
    command: ["copilot", "--acp", "--no-auto-update"],
    npm: "@github/copilot",
    login: 'Log in with "copilot login".',
    mode: "https://agentclientprotocol.com/protocol/session-modes#agent",
    usage: "session",
    exitCode: ["contents"],
    asides: /^Info: /,
    errorProse: /^(?:[^\n]*\.\.\.)?Error: (.+)$/s,
    passEnv: ["COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN"],
    env: { COPILOT_AUTO_UPDATE: "false" },
    // It unpacks itself into the second.
    homes: ["$COPILOT_HOME|~/.copilot/", "~/.cache/copilot/"],
  },
  "codex-acp": {
    ...UNKNOWN,
    name: "codex-acp",
    title: "Codex over ACP",
    command: ["codex-acp"],
    npm: "@agentclientprotocol/codex-acp",
    login: 'Log in with "codex login".',
    mode: "workspace-write",
    ownSandbox: true,
    usage: "turn",
    exitCode: ["terminal"],
    asides: /^Warning: /,
    errorProse:
      /^(\{"error":.+\}|(?:we.re currently experiencing high demand|exceeded retry limit|rate limit (?:reached|exceeded))\b[^\n]*)$/is,
    refusalEndsTurn: false,
    passEnv: ["CODEX_*", "OPENAI_*"],
    // Otherwise each turn ends with a request that guesses what a person would say next.
    env: { CODEX_ACP_PROMPT_SUGGESTIONS: "false" },
    homes: ["$CODEX_HOME|~/.codex/"],
  },
} as const satisfies Readonly<Record<string, Profile>>;

export type ProfileName = keyof typeof PROFILES;

/** What an operator says of an agent of their own. */
export interface CommandSpec {
  command: readonly string[];
  /** It is, or behaves like, this one. */
  like?: ProfileName | undefined;
  mode?: string | undefined;
  /** Further variables of our environment that it needs. */
  passEnv?: readonly string[] | undefined;
  /** Further files and folders of its own, as in `Profile`. */
  homes?: readonly string[] | undefined;
}

/** The profile of an agent that an operator names by its command. */
export function commandProfile(
  name: string,
  { command, like, mode, passEnv = [], homes = [] }: CommandSpec,
): Profile {
  const known: Omit<Profile, "name" | "title" | "command"> = like ? PROFILES[like] : UNKNOWN;
  return {
    ...known,
    ...{ name, command, title: command.join(" ") },
    mode: mode ?? known.mode,
    passEnv: [...known.passEnv, ...passEnv],
    homes: [...homes, ...known.homes],
  };
}
