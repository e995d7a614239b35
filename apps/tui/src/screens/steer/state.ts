import type { Field } from "../../model/field.ts";

/** A line to the agent in mid-turn. */
export interface SteerState {
  kind: "steer";
  id: string;
  field: Field;
  busy: boolean;
  /** Why it did not reach the agent; the line stays. */
  refused: string | null;
}
