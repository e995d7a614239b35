export { ClientTokens, type KeptClient } from "./client-tokens.ts";
export { createLog, type Log, type LogLevel } from "./log.ts";
export type { Limits, ServedProject, ServeOptions, Server } from "./options.ts";
export { serve } from "./serve.ts";
export { readToken, userTokenFile } from "./token-file.ts";
