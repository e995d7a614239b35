import type { Calls } from "../../model/calls.ts";

export interface WhyState {
  kind: "why";
  id: string;
  /** Null while it is asked for. */
  why: Calls["why"]["result"] | null;
  scroll: number;
}
