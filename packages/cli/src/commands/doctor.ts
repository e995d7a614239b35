import type { Finding, Tone } from "@ccw-loop/view";
import { sanitizeLine } from "@ccw-loop/view";
import type { Answer } from "../answer.ts";
import type { Context } from "../context.ts";
import { runChecks } from "../doctor/checks.ts";
import { requireOperator } from "../driven.ts";

const STATUS_LOOKS: Readonly<Record<Finding["status"], { word: string; tone: Tone }>> = {
  ok: { word: "ok", tone: "good" },
  note: { word: "note", tone: "warning" },
  problem: { word: "problem", tone: "bad" },
};

export interface DoctorFlags {
  reap?: true;
}

/** Checks what a loop needs here; exit code 5 as soon as there is one problem. */
export async function doctor(context: Context, flags: DoctorFlags): Promise<Answer> {
  const { io, root } = context;
  if (flags.reap) await requireOperator(io.env, root, "doctor --reap");
  const { findings, processes } = await runChecks(context, { reap: flags.reap === true });
  const problems = findings.filter(({ status }) => status === "problem").length;
  const lines = findings.flatMap(({ check, status, message, next }) => {
    const { word, tone } = STATUS_LOOKS[status];
    const line = `${context.paint(tone, word.padEnd(7))}  ${check.padEnd(9)}  ${sanitizeLine(message)}`;
    return next === null ? [line] : [line, `${" ".repeat(20)}${sanitizeLine(next)}`];
  });
  const verdict =
    problems === 0
      ? "A loop can work here."
      : `${problems} ${problems === 1 ? "problem keeps" : "problems keep"} a loop from working here.`;
  return {
    data: { ok: problems === 0, findings, processes },
    text: [...lines, "", verdict].join("\n"),
    exit: problems === 0 ? 0 : 5,
  };
}
