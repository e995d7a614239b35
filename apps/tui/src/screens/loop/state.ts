import type { Driver } from "@ccw-loop/core";
import { emptyField, type Field } from "../../model/field.ts";

/** The panes of a loop that can be scrolled, in the order in which tab goes through them. */
export const PANES = ["agent", "tasks", "ideas", "tests", "steps"] as const;
export type Pane = (typeof PANES)[number];

export interface LoopScreenState {
  kind: "loop";
  id: string;
  focus: Pane;
  /** The pane beside the tasks where there is room for two; null: whatever is of interest now. */
  beside: Pane | null;
  /** The focused pane has the whole body. */
  zoomed: boolean;
  /** First line shown of each pane; of the agent's its number since the log began. */
  scroll: Readonly<Record<Pane, number>>;
  /** The agent pane shows the newest line. */
  follow: boolean;
  search: Field;
  searching: boolean;
  /** The number of the line of the agent that was found last. */
  found: number | null;
  /** Who drives it, as the service said last; undefined until it did. */
  driver: Driver | undefined;
}

export function loopScreenAt(id: string): LoopScreenState {
  return {
    kind: "loop",
    id,
    focus: "agent",
    beside: null,
    zoomed: false,
    scroll: { agent: 0, tasks: 0, ideas: 0, tests: 0, steps: 0 },
    follow: true,
    search: emptyField,
    searching: false,
    found: null,
    driver: undefined,
  };
}
