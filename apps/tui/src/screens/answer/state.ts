import type { Field } from "../../model/field.ts";

/** The question that the followed loop waits with: a choice of options, or free text. */
export interface AnswerState {
  kind: "answer";
  id: string;
  /** When the loop began to wait: another question has another time. */
  since: string;
  selected: number;
  field: Field;
  scroll: number;
  /** An answer was sent and is not accepted yet. */
  busy: boolean;
}
