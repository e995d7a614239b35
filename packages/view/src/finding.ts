/** What one check found. A problem keeps loops from working here; a note does not. */
export interface Finding {
  check: string;
  status: "ok" | "note" | "problem";
  message: string;
  /** What to do about it; null when there is nothing to do. */
  next: string | null;
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
