import type { Tone } from "./text/paint.ts";

/** What one check found. A problem keeps loops from being proven here; a note does not. */
export interface Finding {
  check: string;
  status: "ok" | "note" | "problem";
  message: string;
  /** What to do about it; null when there is nothing to do. */
  next: string | null;
}

export const FINDING_LOOKS: Readonly<Record<Finding["status"], { word: string; tone: Tone }>> = {
  ok: { word: "ok", tone: "good" },
  note: { word: "note", tone: "warning" },
  problem: { word: "problem", tone: "bad" },
};

/** Whether a loop can work where these were found, as a sentence. */
export function verdictOf(findings: readonly Finding[]): string {
  const { length } = findings.filter(({ status }) => status === "problem");
  const isLoginOpen = findings.some(({ check, status }) => check === "login" && status === "note");
  if (length === 0)
    return `A loop can work here${isLoginOpen ? ", if its agent is logged in" : ""}.`;
  return `${length} ${length === 1 ? "problem keeps" : "problems keep"} a loop from being proven here.`;
}

export function ok(check: string, message: string): Finding {
  return { check, status: "ok", message, next: null };
}

export function note(check: string, message: string, next: string | null): Finding {
  return { check, status: "note", message, next };
}

export function problem(check: string, message: string, next: string): Finding {
  return { check, status: "problem", message, next };
}
