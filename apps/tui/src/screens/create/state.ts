import type { Field } from "../../model/field.ts";

/** In the order in which the form has them. */
export const CREATE_FIELDS = [
  "task",
  "title",
  "agent",
  "model",
  "verify",
  "mode",
  "max_iterations",
  "max_duration",
  "max_tokens",
  "max_cost",
  "tags",
  "worktree",
  "start",
] as const;
export type CreateFieldName = (typeof CREATE_FIELDS)[number];

export interface CreateState {
  kind: "create";
  fields: Readonly<Record<CreateFieldName, Field>>;
  focus: CreateFieldName;
  /** Fields that were left once: only they show what is wrong with them. */
  touched: readonly CreateFieldName[];
  /** What the service said to it. */
  refused: string | null;
  busy: boolean;
}
