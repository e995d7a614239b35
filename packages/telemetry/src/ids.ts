import { createHash } from "node:crypto";
import type { LoopState } from "@ccw-loop/core";

/** The first of these bytes as hexadecimal digits; such an id is never all zeros. */
const digits = (text: string, bytes: number) =>
  createHash("sha256")
    .update(text)
    .digest("hex")
    .slice(0, 2 * bytes);

/** The trace of a loop: the same in every process that drives it, and not that of another project's loop of this name. */
export function traceIdOf({ loop_id, created_at }: Pick<LoopState, "loop_id" | "created_at">) {
  return digits(`ccw-loop ${loop_id} ${created_at}`, 16);
}

/** A span of that trace, by what it is about: `loop`, an action with the time at which it began. */
export function spanIdOf(traceId: string, about: string): string {
  return digits(`${traceId} ${about}`, 8);
}

/** As W3C Trace Context writes it, for who goes on with the trace. */
export function traceparent(traceId: string, spanId: string): string {
  return `00-${traceId}-${spanId}-01`;
}

/** The ids in such a text; undefined for anything else, and where its sender does not record the trace. */
export function parseTraceparent(text: string): { traceId: string; spanId: string } | undefined {
  const [, traceId = "", spanId = ""] =
    /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f][13579bdf](?:-|$)/.exec(
      text,
    ) ?? [];
  return traceId === "" ? undefined : { traceId, spanId };
}
