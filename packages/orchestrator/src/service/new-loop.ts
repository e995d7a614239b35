import { randomBytes } from "node:crypto";
import {
  invalidInput,
  LoopEdit,
  LoopError,
  LoopState,
  mintLoopId,
  type NewLoop,
  parseNewLoopId,
  SCHEMA_VERSION,
} from "@ccw-loop/core";
import { z } from "zod";

const Spec = LoopEdit.omit({ description: true, title: true }).extend({
  description: z.string().trim(),
  title: z.string().trim().min(1).optional(),
  id: z.string().optional(),
});

/**
 * The first state of a loop; `digits` end a minted id. Throws `invalid_input` naming the field, `invalid_id` for an unsafe
 * id.
 */
export function newLoopState(spec: NewLoop, now: Date, digits: string): LoopState {
  const parsed = Spec.safeParse(spec);
  if (!parsed.success) throw invalidInput(parsed.error);
  const { id, description, title, ...rest } = parsed.data;
  if (description === "" && title === undefined) {
    throw new LoopError("invalid_input", "description: Say what the loop is to do.");
  }
  const at = now.toISOString();
  return LoopState.parse({
    loop_id: id === undefined ? mintLoopId(now, digits) : parseNewLoopId(id),
    title: title ?? [...(description.split("\n", 1)[0] ?? "")].slice(0, 100).join(""),
    description,
    ...rest,
    status: "created",
    created_at: at,
    updated_at: at,
    schema_version: SCHEMA_VERSION,
  });
}

/** Eight random hexadecimal digits for ids. */
export function randomHex(): string {
  return randomBytes(4).toString("hex");
}
