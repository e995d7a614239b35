import {
  isLoopError,
  type LoopCommand,
  type LoopState,
  revisionConflict,
  type SendOptions,
} from "@ccw-loop/core";
import type { z } from "zod";
import { etagOf } from "../app/etag.ts";
import { LoopAnswer } from "../contract/answers.ts";
import type { HttpTransport, RequestSpec } from "./exchange.ts";
import { loopPath } from "./paths.ts";

/** No state has this digest. */
const NONE = '"none"';

/** See `LoopService.send`. */
export async function sendCommand(
  exchange: HttpTransport,
  id: string,
  command: LoopCommand,
  { opId, revision }: SendOptions,
): Promise<LoopState> {
  const ask = { method: "POST", path: loopPath(id, "/commands"), body: command, opId } as const;
  return (await sendBound(exchange, { id, revision }, ask, LoopAnswer)).data;
}

export interface Bound {
  id: string;
  revision: number | undefined;
  /** The newest state, where the loop itself may not be readable. */
  read?: () => Promise<LoopState>;
}

/** Sends a request about a loop. The revision that it is bound to travels as the ETag of the state that has it. */
export async function sendBound<S extends z.ZodType>(
  exchange: HttpTransport,
  { id, revision, read = () => newest(exchange, id) }: Bound,
  ask: RequestSpec,
  schema: S,
): Promise<z.output<S>> {
  if (revision === undefined) return exchange.json(ask, schema);
  const state = await read();
  // Sent even when it cannot fit any more: a repetition is answered as it was the first time.
  const tag = state.revision === revision ? etagOf(state) : NONE;
  try {
    return await exchange.json({ ...ask, headers: { "if-match": tag } }, schema);
  } catch (error) {
    if (!isLoopError(error, "revision_conflict")) throw error;
    throw revisionConflict(id, revision, (await read()).revision ?? 0);
  }
}

async function newest(exchange: HttpTransport, id: string): Promise<LoopState> {
  return (await exchange.json({ path: loopPath(id) }, LoopAnswer)).data;
}
