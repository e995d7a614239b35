import type { Calls } from "../../model/calls.ts";

export interface TimelineState {
  kind: "timeline";
  id: string;
  entries: Calls["timeline"]["result"] | null;
  selected: number;
}
