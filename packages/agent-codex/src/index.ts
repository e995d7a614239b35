export { codexAgent } from "./codex-agent.ts";
export { TESTED_VERSIONS } from "./launch/codex-binary.ts";
export {
  type CodexLimits,
  type CodexOptions,
  type CodexSandbox,
  DEFAULT_CODEX_LIMITS,
} from "./options.ts";
