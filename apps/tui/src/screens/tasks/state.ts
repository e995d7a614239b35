/** The tasks of the followed loop: add, edit, remove, reorder. */
export interface TasksState {
  kind: "tasks";
  id: string;
  selected: number;
  /** A new order that the loop does not have yet. */
  moved?: Moved;
}

export interface Moved {
  /** Every task of the loop, as they are to stand. */
  ids: readonly string[];
  /** The order that was sent and is not answered yet; moves meanwhile are sent after it. */
  sent: readonly string[] | null;
  /** The revision from which on the loop has it; null until the answer. */
  revision: number | null;
}
