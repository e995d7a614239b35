export type { Reply, RpcError, RpcRequest, RpcResponse } from "./peer.ts";
export { isDoneWithin, RpcProgram, type RpcProgramSpec } from "./program.ts";
