import type { Hypothesis } from "../state/hypothesis.ts";
import type { SkillState } from "../state/skill-state.ts";
import { testList } from "./debug-text.ts";
import { code, inline, quote } from "./markdown.ts";

/** Every cause that was found: the tasks that repaired it, the tests that show it, and whether it is closed. */
export function resolutions(skill: SkillState): string[] {
  const causes = skill.debug.hypotheses.filter(wasConfirmed);
  if (causes.length === 0) return ["_No cause was confirmed yet_"];
  return causes.flatMap((cause) => [
    `### Cause ${inline(cause.id)} - ${standing(cause).toUpperCase()}`,
    quote(cause.description || "No description."),
    lines(cause, skill).join("\n"),
  ]);
}

function wasConfirmed({ status, verdicts = [] }: Hypothesis): boolean {
  return status === "confirmed" || verdicts.some((verdict) => verdict.status === "confirmed");
}

function standing({ status, closed_at }: Hypothesis): "closed" | "open" | "reopened" {
  if (status !== "confirmed") return "reopened";
  return closed_at ? "closed" : "open";
}

function lines(cause: Hypothesis, { develop }: SkillState): string[] {
  const { explains = [] } = cause;
  const fixes = develop.tasks.filter((task) => task.fixes === cause.id);
  return [
    `- **Why**: ${inline(cause.verdict_reason ?? "none")}`,
    ...fixes.map(
      ({ id, description, status, completed_at }) =>
        `- **Fix**: ${code(id)} ${inline(description)} (${completed_at ?? status})`,
    ),
    ...(fixes.length === 0 ? ["- **Fix**: no task of its own"] : []),
    `- **Tests**: ${explains.length > 0 ? testList(explains) : "the whole run"}`,
    `- **Standing**: ${ending(cause)}`,
  ];
}

function ending(cause: Hypothesis): string {
  switch (standing(cause)) {
    case "closed":
      return `closed ${cause.closed_at}, when they were green again${settling(cause)}`;
    case "open":
      return "open until they are green and its probe shows that it does not hold any more";
    case "reopened":
      return "reopened: the fix did not make them green, or the evidence did not hold";
  }
}

function settling({ settled_at }: Hypothesis): string {
  return settled_at
    ? " and its probe showed that it does not hold any more"
    : "; not settled by evidence";
}
