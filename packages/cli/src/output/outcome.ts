import {
  exitCodeOf,
  LIMIT_OUTCOMES,
  type LoopState,
  openObjections,
  type ReceiptCheck,
  reviewLines,
  statusText,
  tasksOf,
} from "@ccw-loop/core";
import {
  checkProblems,
  checkRows,
  checkSentence,
  coverageLines,
  failureReason,
  failureWords,
  filesChanged,
  firstLines,
  hasLongQuestion,
  headline,
  type NamedRow,
  namedRows,
  nextCommands,
  objectionLines,
  type Paint,
  receiptLines,
  sanitizeLine,
  sanitizeText,
  usedText,
  worktreeLines,
  worktreeOf,
} from "@ccw-loop/view";
import type { Context } from "../runtime/context.ts";

/** How a loop stands, for programs: the `data` of `run`, `resume` and `watch`. */
export function outcomeData(
  state: LoopState,
  { hint, parts }: Place & Hinting,
  next: string[] = nextCommands(state),
) {
  const tasks = tasksOf(state);
  return {
    loop_id: state.loop_id,
    title: state.title,
    status: state.status,
    outcome: state.outcome ?? null,
    waiting: state.waiting ?? null,
    exit_code: exitCodeOf(state),
    iteration: state.current_iteration,
    max_iterations: state.max_iterations,
    tasks: {
      total: tasks.length,
      completed: tasks.filter((task) => task.status === "completed").length,
    },
    receipt: state.receipts?.at(-1) ?? null,
    objections: openObjections(state),
    files_changed: filesChanged(state),
    usage: state.usage ?? null,
    worktree: worktreeOf(state),
    state_file: parts.stateFile(state.loop_id),
    next: next.map(hint),
  };
}

/** The same for people: what was verified and how, which files, what to do next. */
export function outcomeText(
  state: LoopState,
  { paint, hint, parts }: Place & Hinting & Pick<Context, "paint">,
  next: string[] = nextCommands(state),
): string {
  const [tone, title] = headline(state);
  const files = filesChanged(state);
  const receipt = state.receipts?.at(-1);
  const hasFailed = state.status === "failed";
  const rows: NamedRow[] = [
    // A line of its own: it may end with a command.
    ["Reason", hasFailed ? [outcomeHint(state, failureReason(state), hint)] : []],
    ["Loop", [`${state.loop_id}, ${statusText(state)}`]],
    ["Verified", receipt ? receiptLines(receipt) : ["nothing yet: the tests have not been run"]],
    ["Coverage", coverageLines(state)],
    [state.status === "completed" ? "Accepted" : "Objections", objectionsOf(state)],
    ["Reviews", firstLines(reviewLines(state))],
    ["Files", files.length > 0 ? files : ["no file was changed"]],
    ["Worktree", worktreeLines(state)],
    ["Work", [workText(state)]],
    ["State", [parts.stateFile(state.loop_id)]],
    ["Next", next.map(hint)],
  ];
  const words = hasFailed ? `${failureWords(state)}:` : title;
  const first = `${paint(tone, words)} ${sanitizeLine(state.title)}`;
  return [first, ...questionLines(state), ...namedRows(rows, paint)].join("\n");
}

/** Those of a waiting loop are in its question. */
function objectionsOf(state: LoopState): string[] {
  const { about } = state.waiting ?? {};
  return about === "objections" || about === "review" ? [] : firstLines(objectionLines(state));
}

/** The whole question of a waiting loop where it is too long for the headline. */
function questionLines({ waiting }: LoopState): string[] {
  if (!waiting || !hasLongQuestion(waiting) || waiting.prompt === undefined) return [];
  return ["", ...sanitizeText(waiting.prompt).split("\n"), ""];
}

function workText(state: LoopState): string {
  const { usage } = state;
  const tasks = tasksOf(state);
  const done = tasks.filter((task) => task.status === "completed").length;
  return [
    `${state.current_iteration} of ${state.max_iterations} iterations`,
    `${done} of ${tasks.length} tasks`,
    ...(usage ? [usedText(usage)] : []),
  ].join(", ");
}

/** What was said of how a loop ended, as a hint where the words are ours alone: at a bound. Others quote. */
export function outcomeHint({ outcome }: LoopState, said: string, hint: Context["hint"]): string {
  return LIMIT_OUTCOMES.includes(outcome?.code ?? "") ? hint(said) : said;
}

type Hinting = Pick<Context, "hint">;

/** Whoever knows where a loop is kept. */
type Place = { parts: Pick<Context["parts"], "stateFile"> };

/** Whether a receipt stands, the new runs, and everything that does not fit. `of` names the loop or the file. */
export function checkText(of: string, check: ReceiptCheck, paint: Paint): string {
  const found = checkProblems(check).flatMap(({ text, details }) => [
    `${paint("bad", "✖")} ${sanitizeLine(text)}`,
    ...details.map((detail) => `    ${sanitizeLine(detail)}`),
  ]);
  return [
    paint(...checkSentence(of, check)),
    ...namedRows(checkRows(check), paint),
    ...(found.length > 0 ? ["", ...found] : []),
  ].join("\n");
}
