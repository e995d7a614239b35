export { codexAgent } from "./codex-agent.ts";
export type { CodexLimits, CodexOptions } from "./options.ts";
