import { z } from "zod";
import { isPlain } from "../json.ts";
import { clip } from "../text.ts";
import { isPlaceholder } from "./action-result.ts";
import { jsonObjects } from "./json-objects.ts";

/** More than a person reads, or a receipt keeps. */
const FINDINGS_KEPT = 20;
const PROBLEM_KEPT = 2000;
const TESTS_KEPT = 5;
const TEXT_KEPT = 20_000;

const Path = z
  .string()
  .trim()
  .transform((path) => path.replace(/^(?:\.\/)+/, ""));

/** What a reviewer answers, whatever else it writes beside. */
const Answer = z.object({
  findings: z.array(
    z.object({
      file: Path.catch(""),
      line: z.int().positive().nullable().catch(null),
      problem: z.string().trim().min(1),
    }),
  ),
  tests: z
    .array(z.object({ file: Path.pipe(z.string().min(1)), text: z.string().min(1) }))
    .nullish()
    .transform((tests) => tests ?? []),
});

/** The claims of a reviewer: what is wrong, and tests that nobody has run. */
export type ReviewAnswer = z.infer<typeof Answer>;

export type ParsedReview = { ok: true; review: ReviewAnswer } | { ok: false; problem: string };

/**
 * Reads what a reviewer answered: the last JSON object with a list of `findings`, wherever it stands. The form that it was
 * shown is no answer. `problem` is one sentence that a repair prompt can quote.
 */
export function parseReview(text: string): ParsedReview {
  let problem = "It has no JSON object with a list of findings.";
  for (const { start, end } of jsonObjects(text).reverse()) {
    const value: unknown = JSON.parse(text.slice(start, end));
    if (!isPlain(value) || !Array.isArray(value.findings)) continue;
    const parsed = Answer.safeParse(value);
    if (parsed.success && !isForm(parsed.data)) return { ok: true, review: bounded(parsed.data) };
    const [issue] = parsed.error?.issues ?? [];
    problem = issue
      ? `${issue.path.join(".")}: ${issue.message}.`
      : "It repeats the form of the answer.";
  }
  return { ok: false, problem };
}

function isForm({ findings, tests }: ReviewAnswer): boolean {
  return [...findings.map(({ problem }) => problem), ...tests.map(({ text }) => text)].some(
    isPlaceholder,
  );
}

/** A test is taken whole or not at all. */
function bounded({ findings, tests }: ReviewAnswer): ReviewAnswer {
  return {
    findings: findings
      .slice(0, FINDINGS_KEPT)
      .map((one) => ({ ...one, problem: clip(one.problem, PROBLEM_KEPT) })),
    tests: tests
      .filter(
        ({ file, text }, i) =>
          text.length <= TEXT_KEPT && i === tests.findIndex((one) => one.file === file),
      )
      .slice(0, TESTS_KEPT),
  };
}
