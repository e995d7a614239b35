export { loopClient } from "./loop-client.ts";
export type { LoopClientOptions, Reconnect } from "./options.ts";
