import type { Calls } from "../../model/calls.ts";

/** The newest receipt of the followed loop, and what checking it again said. */
export interface ReceiptState {
  kind: "receipt";
  id: string;
  check: Calls["verify"]["result"] | { refused: string } | "running" | null;
  scroll: number;
}
