import type { Call } from "../../model/calls.ts";
import type { Field } from "../../model/field.ts";

/** One line of text for something small; `purpose` says what it is for and for whom. */
export interface PromptState {
  kind: "prompt";
  purpose:
    | { name: "add-task"; id: string }
    | { name: "edit-task"; id: string; taskId: string }
    | { name: "import-tasks"; id: string }
    /** How many at most; empty where the agent may decide. */
    | { name: "generate-tasks"; id: string }
    | { name: "edit-limit"; id: string };
  field: Field;
  /** Why the text cannot be taken. */
  problem: string | null;
  /** What was asked, while its answer is waited for. */
  sent?: Call | undefined;
}
