import type { ProfileName } from "@ccw-loop/agent-acp";
import type { AgentTraits, StagedFailure } from "@ccw-loop/testkit/contracts";

/** How a real agent is brought to talk to a model on this machine, and what it is known to do. */
export interface Recipe {
  name: ProfileName;
  /** Its settings by their paths below its home folder; `url` is the model's, scheme and host. */
  files: (url: string) => Readonly<Record<string, string | object>>;
  env: (url: string) => Readonly<Record<string, string>>;
  traits: Omit<AgentTraits, "forks" | "executes">;
  /** A conversation can be opened again only in another minute of the clock than the one in which it began. */
  losesFirstMinute?: boolean;
}

/** Failures that the agent tells at once, instead of trying again for minutes without a word. */
const failures = (...told: StagedFailure[]) => told;

const openAi = (url: string) => ({
  OPENAI_API_KEY: "scripted",
  OPENAI_BASE_URL: `${url}/v1`,
  OPENAI_MODEL: "scripted",
});

export const RECIPES: readonly Recipe[] = [
  {
    name: "gemini",
    files: () => ({
      ".gemini/settings.json": {
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        model: { name: "gemini-2.5-flash" },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      },
    }),
    env: (url) => ({ GEMINI_API_KEY: "scripted", GOOGLE_GEMINI_BASE_URL: url }),
    traits: {
      failures: failures("agent_unauthorized", "context_overflow"),
      reportsUsage: true,
      steers: false,
      tellsOutput: "never",
      tellsExitCode: false,
    },
    losesFirstMinute: true,
  },
  {
    name: "qwen",
    files: () => ({
      ".qwen/settings.json": {
        security: { auth: { selectedType: "openai" }, folderTrust: { enabled: false } },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        ui: { enableFollowupSuggestions: false },
        memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
      },
    }),
    env: openAi,
    traits: {
      failures: failures("agent_unauthorized", "context_overflow"),
      reportsUsage: true,
      steers: true,
      tellsOutput: "at the end",
      tellsExitCode: true,
    },
  },
  {
    name: "claude",
    files: () => ({}),
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "scripted",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "0",
    }),
    traits: {
      failures: failures("agent_unauthorized", "agent_failed", "rate_limited"),
      reportsUsage: true,
      steers: true,
      tellsOutput: "at the end",
      tellsExitCode: true,
    },
  },
  {
    name: "opencode",
    files: (url) => ({
      ".config/opencode/opencode.json": {
        model: "scripted/scripted",
        small_model: "scripted/scripted",
        autoupdate: false,
        share: "disabled",
        provider: {
          scripted: {
            npm: "@ai-sdk/openai-compatible",
            name: "scripted",
            options: { baseURL: `${url}/v1`, apiKey: "scripted" },
            models: { scripted: { name: "scripted", limit: { context: 100_000, output: 10_000 } } },
          },
        },
      },
    }),
    env: () => ({
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    }),
    traits: {
      failures: failures("agent_unauthorized"),
      reportsUsage: false,
      steers: false,
      tellsOutput: "at once",
      tellsExitCode: true,
    },
  },
  {
    name: "copilot",
    files: () => ({}),
    env: (url) => ({
      COPILOT_OFFLINE: "true",
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_TYPE: "openai",
      COPILOT_PROVIDER_API_KEY: "scripted",
      COPILOT_MODEL: "scripted",
    }),
    traits: {
      failures: failures("agent_unauthorized"),
      reportsUsage: true,
      steers: false,
      tellsOutput: "at once",
      tellsExitCode: true,
    },
  },
  {
    name: "codex-acp",
    files: (url) => ({ ".codex/config.toml": codexConfig(url) }),
    env: () => ({ OPENAI_API_KEY: "scripted" }),
    traits: {
      failures: failures("agent_unauthorized", "agent_failed", "rate_limited"),
      reportsUsage: true,
      steers: true,
      // What is printed in the first moment waits for the end.
      tellsOutput: "at the end",
      tellsExitCode: true,
    },
  },
];

const codexConfig = (url: string) => `model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
[features]
plugins = false
apps = false
`;
