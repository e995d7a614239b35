import type { LoopState } from "../state/loop-state.ts";
import type { Finding, Objection, Receipt, Review, ReviewTest } from "../state/receipt.ts";
import { fingerprint } from "../text.ts";
import { placeText } from "./objections.ts";

export const REVIEW_ROUNDS = 2;

/** What raised an objection of a review: what was said, a test of its own that failed, and that there is none. */
const KINDS = { finding: "finding", test: "review_test", missing: "review" } as const;

export function isOfReview({ kind }: Pick<Objection, "kind">): boolean {
  return kind === KINDS.finding || kind === KINDS.test || kind === KINDS.missing;
}

/** Whether it says that a review was not made: nobody can put that right in the project. */
export function isMissingReview({ kind }: Pick<Objection, "kind">): boolean {
  return kind === KINDS.missing;
}

/** The reviews of a receipt that came to an answer, the newest last. */
export function madeReviews(receipt: Pick<Receipt, "reviews"> | undefined): Review[] {
  return (receipt?.reviews ?? []).filter(({ problem }) => problem === undefined);
}

/** Whether the operator asked for a review, and no round of it was about the files of a receipt, unless all are used up. */
export function awaitsReview({ settings }: Pick<LoopState, "settings">, receipt: Receipt): boolean {
  if (settings?.review === undefined) return false;
  const isSeen = (receipt.reviews ?? []).some(({ tree }) => tree === receipt.tree_after);
  return !isSeen && madeReviews(receipt).length < REVIEW_ROUNDS;
}

/** Whether the tests passed and were judged, or waived: before that there is nothing to have a second opinion of. */
export function isJudged({ passed, square, waived }: Receipt): boolean {
  return passed && (square !== undefined || waived !== undefined);
}

/** Whether a receipt would prove the work, but for the review that it awaits: every objection is accepted. */
export function lacksReview(
  state: Pick<LoopState, "settings" | "accepted">,
  receipt: Receipt | undefined,
): boolean {
  if (receipt === undefined || !isJudged(receipt) || !awaitsReview(state, receipt)) return false;
  const accepted = new Set(state.accepted);
  return receipt.objections.every(({ key }) => accepted.has(key));
}

/**
 * What reviews object to a receipt for files of this name. A finding ends with a later round that does not repeat it, or by a
 * person; a test of any round is as it was run last.
 */
export function reviewObjections(reviews: readonly Review[], tree: string | null): Objection[] {
  const newest = reviews.at(-1);
  const made = reviews.filter(({ problem }) => problem === undefined);
  const last = made.at(-1);
  return [
    ...(newest?.problem === undefined ? [] : [missing(newest, tree)]),
    ...(last?.findings ?? []).map((one) => findingObjection(last?.agent ?? "", one)),
    ...made.flatMap(({ agent, tests }) =>
      tests.filter(({ result }) => result === "failed").map((test) => testObjection(agent, test)),
    ),
  ];
}

/** How a finding was answered: by nobody yet, by a person who accepted it, or by one who had it put right. */
export function findingAnswer(
  reviews: readonly Review[],
  { accepted = [] }: Pick<LoopState, "accepted">,
  review: Review,
  finding: Finding,
): "open" | "accepted" | "rejected" {
  if (accepted.includes(findingKey(finding))) return "accepted";
  return reviews.findLast(({ problem }) => problem === undefined) === review ? "open" : "rejected";
}

/** ` (src/cart.js:12)`; nothing where it is about no file. */
export function findingPlace({ file, line }: Finding): string {
  return placeText({ path: file, ...(line === null ? {} : { line }) });
}

/** The line is no part of it: it moves with every change above. */
function findingKey({ file, problem }: Finding): string {
  return `${KINDS.finding}:${fingerprint(`${file}\n${problem}`)}`;
}

function findingObjection(agent: string, finding: Finding): Objection {
  const { file, line, problem } = finding;
  return {
    key: findingKey(finding),
    kind: KINDS.finding,
    path: file,
    ...(line === null ? {} : { line }),
    message: `${agent} finds: ${problem}`,
  };
}

function testObjection(agent: string, { path, text, reason }: ReviewTest): Objection {
  return {
    key: `${KINDS.test}:${fingerprint(`${path}\n${text}`)}`,
    kind: KINDS.test,
    path,
    message: `A test that ${agent} wrote from the task, and that the agent of this loop has not seen, fails: ${reason}`,
  };
}

function missing({ agent, problem }: Review, tree: string | null): Objection {
  const key = `${KINDS.missing}:${fingerprint(`${agent}\n${tree}`)}`;
  return {
    key,
    kind: KINDS.missing,
    path: "",
    message: `The review by ${agent} was not made: ${problem}`,
  };
}
