import type { RpcProgram } from "@ccw-loop/processes/json-rpc";
import { classifyRefusal, type Failure } from "../failure/failure.ts";

export type Outcome<T> = { ok: true; result: T } | { ok: false; failure: Failure };

/** Asks, and turns whatever comes of it into a result or a failure. */
export async function ask(
  program: RpcProgram,
  method: string,
  params: unknown,
  timeoutMs: number,
): Promise<Outcome<unknown>> {
  const reply = await program.request(method, params, timeoutMs);
  if ("lost" in reply) return { ok: false, failure: { kind: "crash", message: reply.lost } };
  if ("error" in reply) return { ok: false, failure: classifyRefusal(method, reply.error) };
  return { ok: true, result: reply.result };
}
