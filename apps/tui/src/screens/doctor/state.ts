import type { Finding } from "@ccw-loop/view";

export interface DoctorState {
  kind: "doctor";
  /** Null while it is looked. */
  findings: readonly Finding[] | null;
  problem: string | null;
  scroll: number;
}
