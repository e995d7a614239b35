import {
  isLoopError,
  type LoopCommand,
  LoopError,
  type LoopState,
  type SendOptions,
} from "@ccw-loop/core";
import { LoopAnswer } from "../contract/answers.ts";
import type { Exchange } from "./exchange.ts";
import { loopPath } from "./paths.ts";

/** No state has this digest. */
const NONE = '"none"';

/** See `LoopService.send`. A revision travels as the digest of the state that has it. */
export async function sendCommand(
  exchange: Exchange,
  id: string,
  command: LoopCommand,
  { opId, revision }: SendOptions,
): Promise<LoopState> {
  const ask = { method: "POST", path: loopPath(id, "/commands"), body: command, opId } as const;
  if (revision === undefined) return (await exchange.json(ask, LoopAnswer)).data;
  const newest = await exchange.json({ path: loopPath(id) }, LoopAnswer);
  // Sent even when it cannot fit any more: a repetition is answered as it was the first time.
  const tag = newest.data.revision === revision ? newest.etag : null;
  try {
    return (await exchange.json({ ...ask, headers: { "if-match": tag ?? NONE } }, LoopAnswer)).data;
  } catch (error) {
    if (!isLoopError(error, "revision_conflict")) throw error;
    const { data } = await exchange.json({ path: loopPath(id) }, LoopAnswer);
    throw new LoopError(
      "revision_conflict",
      `Loop ${id} is at revision ${data.revision}, not ${revision}. Read it again and decide again.`,
      { cause: error, details: { revision: data.revision } },
    );
  }
}
