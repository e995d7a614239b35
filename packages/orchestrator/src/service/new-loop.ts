import { randomBytes } from "node:crypto";
import {
  LoopEdit,
  LoopError,
  LoopState,
  mintLoopId,
  parseLoopId,
  SCHEMA_VERSION,
} from "@ccw-loop/core";
import { z } from "zod";
import type { NewLoop } from "./loop-service.ts";

const Spec = LoopEdit.omit({ description: true, title: true }).extend({
  description: z.string().trim().min(1),
  title: z.string().trim().min(1).optional(),
  id: z.string().optional(),
});

/** The first state of a loop. Throws `invalid_input` naming the field, `invalid_id` for an unsafe id. */
export function newLoopState(spec: NewLoop, now: Date): LoopState {
  const parsed = Spec.safeParse(spec);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new LoopError("invalid_input", `${issue?.path.join(".")}: ${issue?.message}.`);
  }
  const { id, description, title, ...rest } = parsed.data;
  const at = now.toISOString();
  return LoopState.parse({
    loop_id: id === undefined ? mintLoopId(now, hex()) : parseLoopId(id),
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
export function hex(): string {
  return randomBytes(4).toString("hex");
}
