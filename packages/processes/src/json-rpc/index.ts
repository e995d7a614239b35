export { Peer, type Reply, type RpcError, type RpcRequest, type RpcResponse } from "./peer.ts";
export { isDoneWithin, RpcProgram, type RpcProgramSpec } from "./program.ts";
