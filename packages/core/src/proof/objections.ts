import type { LoopState } from "../state/loop-state.ts";
import type { Comparison, Objection, TestCounts, TestStates } from "../state/receipt.ts";

/** Kinds that come from the results alone, in the form of an objection. */
function objection(kind: string, name: string, message: string): Objection {
  return {
    key: `${kind}:${name}`,
    kind,
    path: "",
    line: null,
    text: name,
    message,
    allowed: false,
  };
}

/** What the results themselves say against a passing run: tests that were there before and are not run any more. */
export function objectionsToResults(
  baseline: LoopState["baseline"],
  now: { states: TestStates; counts: TestCounts; comparison: Comparison },
): Objection[] {
  if (!baseline) return [];
  const { states, counts, comparison } = now;
  const removed = comparison.removed.map((id) =>
    objection("removed", id, `The test "${id}" is not run any more.`),
  );
  const skipped = Object.keys(baseline.tests)
    .filter((id) => baseline.tests[id] !== "skipped" && states[id] === "skipped")
    .map((id) => objection("skipped", id, `The test "${id}" is skipped now.`));
  const fewer = baseline.counts.total - counts.total;
  const unnamed = fewer > removed.length;
  const missing = unnamed
    ? [objection("fewer", String(counts.total), `${fewer} tests fewer ran than before.`)]
    : [];
  return [...removed, ...skipped, ...missing];
}

/** What speaks against the last receipt as a proof and nobody has accepted. */
export function openObjections(state: LoopState): Objection[] {
  const accepted = new Set(state.accepted ?? []);
  const receipt = state.receipts?.at(-1);
  return (receipt?.objections ?? []).filter(({ key, allowed }) => !allowed && !accepted.has(key));
}

/** The question to a person, with every objection that fits; `waived` where no tests were run. */
export function questionOf(objections: readonly Objection[], waived = false): string {
  const shown = objections.slice(0, 20).map(({ path, line, message, text }) => {
    const place = path === "" ? "" : ` (${path}${line === null ? "" : `:${line}`})`;
    return `- ${message}${place}${path === "" || text === "" ? "" : `\n    ${text}`}`;
  });
  const more = objections.length - shown.length;
  return [
    waived
      ? "The tests are waived, but this speaks against the work:"
      : "The tests pass, but this alone does not prove the work:",
    ...shown,
    ...(more > 0 ? [`- … and ${more} more`] : []),
    "Answer accept to let it count as done, or reject to have it put right.",
  ].join("\n");
}
