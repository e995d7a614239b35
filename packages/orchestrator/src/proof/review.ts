import {
  awaitsReview,
  type Cell,
  clip,
  counted,
  isJudged,
  isLoopError,
  lacksReview,
  madeReviews,
  type Receipt,
  type Review,
  type ReviewAnswer,
  type ReviewTest,
  reviewObjections,
  type Square,
  tasksOf,
  type Verification,
  type VerifyPlan,
} from "@ccw-loop/core";
import { undoWithWarning } from "../actions/undo-changes.ts";
import { type Execution, nowOf, report, warn } from "../run/context.ts";
import { Interruption } from "../run/loop-watcher.ts";
import { askReviewer } from "../turns/turn.ts";
import { changesBetween, startOf } from "./changes.ts";
import { hideText, type PlainTest, revealText, runReviewTests } from "./review-tests.ts";
import { squareDepsOf } from "./rooms.ts";

/** What a review is of, beside its receipt. */
export interface Reviewed {
  /** The checkpoint of the tested files; null where they could not be kept. */
  commit: string | null;
  /** How they were tested; null where nothing was run. */
  tests: { plan: VerifyPlan; present: Verification } | null;
  signal: AbortSignal;
}

/** Why a reviewer may fail without the loop failing: a person is asked whether it counts without a review. */
const OF_THE_REVIEWER = [
  ...(["usage_limit", "rate_limited", "agent_timeout", "agent_died", "agent_failed"] as const),
  ...(["agent_bad_result", "context_overflow", "agent_unavailable"] as const),
  ...(["agent_unauthorized", "agent_misconfigured", "sandbox_unavailable"] as const),
] as const;

/**
 * The receipt with what reviews say of its files. Another agent is asked where the runs leave nothing open and a round is left;
 * the tests of all rounds are run again. Earlier rounds go from receipt to receipt, whatever this one says.
 */
export async function withReviews(
  execution: Execution,
  receipt: Receipt,
  about: Reviewed,
): Promise<Receipt> {
  const { state } = execution;
  const before = madeReviews(state.receipts?.at(-1));
  const known = before.length === 0 ? receipt : { ...receipt, reviews: before };
  if (!isJudged(known)) return known;
  const isDue = lacksReview(state, known);
  // It is reviewed when a person has accepted what the runs object.
  if (!isDue && awaitsReview(state, known)) return known;
  const name = state.settings?.review;
  const made = isDue && name !== undefined ? [await makeReview(execution, name, known, about)] : [];
  if (before.length + made.length === 0) return known;
  const reviews = await withTests(execution, [...before, ...made], about);
  const objections = [...receipt.objections, ...reviewObjections(reviews, receipt.tree_after)];
  return { ...receipt, reviews, objections };
}

async function makeReview(
  execution: Execution,
  agent: string,
  receipt: Receipt,
  { commit }: Reviewed,
): Promise<Review> {
  const { ctx } = execution;
  const made = { agent, round: madeReviews(receipt).length + 1, tree: receipt.tree_after };
  const tell = (message: string) =>
    report(ctx, "VALIDATE", { type: "message.completed", text: message });
  tell(`${agent} reviews the work.`);
  try {
    const prompt = await reviewPrompt(execution, receipt, commit);
    const answer = await leavingFiles(execution, receipt, commit, () =>
      askReviewer(execution, agent, prompt),
    );
    const { findings, tests } = answer;
    tell(
      `${agent} reviewed the work: ${counted(findings.length, "finding")}, ${counted(tests.length, "test")} of its own.`,
    );
    const key = await ctx.deps.sealKey();
    const hidden = tests.map((test) => notRunYet(test, key));
    return { ...made, at: nowOf(ctx), findings, tests: hidden };
  } catch (error) {
    const isCut = ctx.watcher.interruption !== undefined || error instanceof Interruption;
    if (isCut || !isLoopError(error, ...OF_THE_REVIEWER)) throw error;
    warn(ctx, "VALIDATE", `${agent} made no review: ${error.message}`);
    return { ...made, at: nowOf(ctx), problem: error.message, findings: [], tests: [] };
  }
}

function notRunYet({ file, text }: ReviewAnswer["tests"][number], key: Uint8Array): ReviewTest {
  const reason = "It was not run.";
  return { path: file, text: hideText(text, key), result: "not_run", reason };
}

/** Does the review, then undoes whatever the reviewer changed in the project; a warning says so. */
async function leavingFiles<T>(
  execution: Execution,
  { tree_after: tree }: Receipt,
  commit: string | null,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } finally {
    // The files may be another owner's by now.
    if (!execution.ctx.watcher.interruption) {
      await undoWithWarning({ ...execution, baseTree: tree, tree }, "VALIDATE", {
        who: "A reviewer may change no file",
        by: "a reviewer, which",
        keptAs: "changed by a reviewer",
        ...(commit === null ? {} : { before: commit }),
      });
    }
  }
}

/** The reviews with their tests as they ended now, each round in a room of its own. */
async function withTests(
  execution: Execution,
  reviews: readonly Review[],
  { commit, tests: how, signal }: Reviewed,
): Promise<Review[]> {
  const { ctx, state } = execution;
  const key = await ctx.deps.sealKey();
  const { installed } = state.baseline ?? {};
  const changed = async () =>
    installed === undefined ? [] : ctx.workspace.changedInstalled(installed);
  const all: Review[] = [];
  for (const review of reviews) {
    const plain = review.tests.flatMap(({ path, text }): PlainTest[] => {
      const shown = revealText(text, key);
      return shown === null ? [] : [{ path, text: shown }];
    });
    const ends =
      plain.length === 0 || commit === null || how === null
        ? []
        : await runReviewTests(squareDepsOf(ctx, state, signal), state, plain, {
            ...{ ...how, commit, installed },
            changed: await changed(),
          });
    const endOf = new Map(plain.map(({ path }, i) => [path, ends[i]]));
    const why =
      how === null
        ? "There is no test command."
        : "Its text cannot be read, or the files were not kept.";
    const tests = review.tests.map((test) => ({
      ...test,
      ...(endOf.get(test.path) ?? { result: "not_run" as const, reason: why }),
    }));
    all.push({ ...review, tests });
  }
  return all;
}

/** Of a diff, in characters: the reviewer can look at the files themselves. */
const DIFF_SHOWN = 60_000;

async function reviewPrompt(
  execution: Execution,
  receipt: Receipt,
  commit: string | null,
): Promise<string> {
  const { ctx, state } = execution;
  return ctx.prompts.render("review", {
    loop_id: ctx.id,
    title: state.title,
    description: state.description || state.title,
    tasks: tasksOf(state)
      .map(({ id, description }) => `- ${id}: ${description}`)
      .join("\n"),
    runs: receipt.square ? runsText(receipt.square) : `The tests are waived: ${receipt.waived}`,
    earlier: earlierText(receipt, state.accepted ?? []),
    diff: await diffText(execution, commit),
  });
}

function runsText({ cells, witnesses, checks }: Square): string {
  const line = (name: string, cell: Cell | null) =>
    cell === null
      ? `- ${name}: not run`
      : `- ${name}: \`${cell.command}\`, ${cell.counts.passed} passed, ${cell.counts.failed} failed. ${cell.reason}`;
  return [
    line("The start's tests with the start's sources", cells.baseline),
    line("The start's tests with the present sources", cells.verdict),
    line("The present tests with the start's sources", cells.counterfactual),
    line("The present tests with the present sources", cells.present),
    `- Tests that fail without the change: ${witnesses.slice(0, 20).join("; ") || "none"}`,
    ...checks.map(({ kind, result, reason }) => `- Check ${kind}: ${result}. ${reason}`),
  ].join("\n");
}

/** What the rounds before found, and that it was answered: a reviewer begins anew each time. */
function earlierText(receipt: Receipt, accepted: readonly string[]): string {
  const last = madeReviews(receipt).at(-1);
  if (last === undefined || last.findings.length === 0) return "";
  const lines = reviewObjections([last], receipt.tree_after).map(
    ({ key, message }) =>
      `- ${message} (${accepted.includes(key) ? "a person accepted it; do not repeat it" : "a person had it put right; look whether it is"})`,
  );
  return ["An earlier review said:", ...lines, ""].join("\n");
}

async function diffText({ ctx, state }: Execution, commit: string | null): Promise<string> {
  const start = startOf(state);
  if (start === undefined || commit === null) return "It is not known. Look at the files.";
  if (ctx.workspace.lacks.length === 0) {
    const { patch } = await ctx.workspace.diff(start.commit, commit);
    return clip(patch, DIFF_SHOWN) || "Nothing.";
  }
  const changes = (await changesBetween(ctx, start.tree, await ctx.workspace.tree())) ?? [];
  return changes.map(({ kind, path }) => `${kind}: ${path}`).join("\n") || "Nothing.";
}
