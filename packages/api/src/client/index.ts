export { hostClient, type Login } from "./host-client.ts";
export { loopClient } from "./loop-client.ts";
export type { LoopClientOptions, Reconnect } from "./options.ts";
