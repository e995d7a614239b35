import {
  agentFlag,
  type Bound,
  boundsOf,
  dollars,
  type LoopState,
  selectNextAction,
} from "@ccw-loop/core";
import {
  amountText,
  formatDuration,
  homeCommands,
  type Progress,
  receiptText,
  STATUS_TONES,
  STEP_GLYPHS,
  STEP_TONES,
  type Step,
  sanitizeLine,
  statusSummary,
  type TonedLine,
  timeSince,
  truncateToWidth,
  untestedText,
  waitOf,
} from "@ccw-loop/view";
import { Box } from "ink";
import { Gauge } from "../../components/gauge.tsx";
import { type Line, line, lineWidth, type Span, span, wrappedTo } from "../../components/line.ts";
import { Text, TextLine, TextLines } from "../../components/text.tsx";
import { useModel } from "../../components/use-model.ts";
import { asTyped, type Model, shellCommand } from "../../model/model.ts";
import { isKnownUndriven } from "./driver.ts";

export interface HeaderRoom {
  columns: number;
  /** There are rows to spare. */
  roomy: boolean;
  /** The panes have all rows that there are: only title and rail stay. */
  zoomed: boolean;
}

/** What stands above the panes: title, rail, what is to be said of it now, and limits. */
export function Header({ progress, room }: { progress: Progress; room: HeaderRoom }) {
  const model = useModel();
  const { bars, said } = headerParts(progress, model, room);
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Title state={progress.state} />
      <TextLine of={sequenceLine(progress, model.now, room.columns)} />
      <TextLines of={said} />
      {bars.map((row) => (
        <Box key={row[0]?.name ?? ""}>
          {row.map(({ name, used, bound, text }) => (
            <Gauge
              key={name}
              name={name}
              used={used}
              bound={bound}
              text={text}
              width={gaugeWidth(room.columns)}
            />
          ))}
        </Box>
      ))}
    </Box>
  );
}

/** How many rows it has. */
export function headerRows(progress: Progress, model: Model, room: HeaderRoom): number {
  const { bars, said } = headerParts(progress, model, room);
  return 2 + bars.length + said.length;
}

function headerParts({ state }: Progress, model: Model, { columns, roomy, zoomed }: HeaderRoom) {
  if (zoomed) return { bars: [], said: [] };
  const { text, tone } = statusLine(state, model);
  return {
    bars: limitBars(state, model.now, columns, roomy ? 2 : 1),
    said: [...wrappedTo(text, { columns, rows: roomy ? 2 : 1 }, tone), ...homeLines(state)],
  };
}

/** What is shown while there is nothing to show. */
export function openingText({ opened }: Model): string {
  if (opened?.gone) return `This loop cannot be shown: ${opened.gone}`;
  return "The loop is being read.";
}

function Title({ state }: { state: LoopState }) {
  const model = useModel();
  const driven = drivenText(model, state);
  return (
    <Box justifyContent="space-between">
      <Box flexShrink={1} marginRight={2}>
        <Text tone="strong">{state.title}</Text>
      </Box>
      <Box flexShrink={0}>
        <Text tone={STATUS_TONES[state.status]}>{statusSummary(state, new Date(model.now))}</Text>
        <Text tone="quiet">{driven === "" ? "" : ` · ${truncateToWidth(driven, 30)}`}</Text>
      </Box>
    </Box>
  );
}

/** Who drives it; empty while that is not known, and for a loop that rests. */
export function drivenText({ opened, driven, place }: Model, state: LoopState): string {
  if (driven.has(state.loop_id)) return "driven here";
  // A loop that waits holds no lease.
  if (state.status !== "running" || state.waiting) return "";
  const driver = opened?.driver;
  if (driver === undefined) return "";
  if (driver.driven_by !== null) return `driven by ${driver.driven_by}`;
  return place.drives || driver.undriven_since !== null ? "driven by nobody" : "";
}

/** What brings the work of a completed loop home that has a worktree or a clone of its own. */
export function homeLines(state: LoopState): Line[] {
  const [command] = homeCommands(state);
  return command === undefined
    ? []
    : [line(`Its work is on a branch of its own: ${command}`, "name")];
}

/** The one thing to know now: that nobody drives it, what it waits for, how it ended, or what its tests said last. */
export function statusLine(state: LoopState, model: Model): TonedLine {
  if (model.opened?.gone) return { tone: "bad", text: model.opened.gone };
  const since = model.opened?.driver?.undriven_since ?? null;
  if (since !== null && isKnownUndriven(model)) {
    const command = shellCommand(model.place, `resume ${state.loop_id}${agentFlag(state)}`);
    const how = model.place.drives ? "Drive it here, or in a shell with" : "Drive it with";
    const text = `Nobody has driven it since ${since.slice(0, 19)}Z. ${how}: ${command}`;
    return { tone: "warning", text };
  }
  const waits = waitOf(state, new Date(model.now));
  if (waits !== undefined)
    return { tone: "warning", text: asTyped(model.place, sanitizeLine(waits)) };
  const { outcome, status } = state;
  if (outcome && (status === "completed" || status === "failed")) {
    const text = `${outcome.code}: ${asTyped(model.place, outcome.message)}`;
    const good = status === "completed" && outcome.code !== "waived";
    return { tone: good ? "good" : status === "completed" ? "warning" : "bad", text };
  }
  const receipt = state.receipts?.at(-1);
  if (!receipt) return { tone: "quiet", text: untestedText(state) };
  return { tone: receipt.passed ? "good" : "bad", text: `Last run ${receiptText(receipt)}` };
}

/** The documented sequence. */
const SEQUENCE = ["INIT", "DEVELOP", "DEBUG", "VALIDATE", "COMPLETE"] as const;

/** The sequence with where the loop is in it; shorter words where there is no room for all. */
export function sequenceLine(progress: Progress, now: number, columns: number): Line {
  const whole = rail(progress, now, { short: false });
  return lineWidth(whole) <= columns ? whole : rail(progress, now, { short: true });
}

/** Where it is, in words. */
export function railText({ state, steps }: Progress, now: number): string {
  const step = steps.at(-1);
  if (step?.status === "running" && state.action) {
    const { attempt } = state.action;
    const again = attempt > 1 ? `, attempt ${attempt}` : "";
    return `${step.action} runs for ${timeSince(step.started_at, now)}${again}.`;
  }
  const { action } = selectNextAction(state);
  return action === null ? "No action runs." : `${action} is next.`;
}

/** `short`: without arrows, and without how often each one was done. */
function rail(progress: Progress, now: number, { short }: { short: boolean }): Line {
  const arrow = short ? " " : " → ";
  return SEQUENCE.flatMap((name, i): Line => {
    const before = i === 0 ? [] : [span(arrow, "quiet")];
    const own = progress.steps.filter(({ action }) => action === name);
    const last = own.at(-1);
    if (!last) return [...before, untold(name, progress.state)];
    const status = statusOf(last, progress.state);
    const times = own.length > 1 && !short ? ` ×${own.length}` : "";
    const word = span(`${STEP_GLYPHS[status]} ${name}${times}`, STEP_TONES[status]);
    const runs = status === "running" ? [span(runningFor(last, progress, now), "name")] : [];
    return [...before, word, ...runs];
  });
}

/** An action of which the history tells nothing: to come, next, or done before the history begins. */
function untold(name: (typeof SEQUENCE)[number], state: LoopState): Span {
  if (state.skill_state?.completed_actions.includes(name)) {
    return span(`${STEP_GLYPHS.done} ${name}`, "good");
  }
  const isNext = state.status === "running" && selectNextAction(state).action === name;
  return isNext ? span(`› ${name}`, "strong") : span(`${STEP_GLYPHS.pending} ${name}`, "quiet");
}

/** An action of a loop that rests does not run. */
function statusOf({ status }: Step, state: LoopState): Step["status"] {
  return status === "running" && state.status !== "running" ? "interrupted" : status;
}

/** How long the action under way takes already, and which attempt it is. */
function runningFor(step: Step, { state }: Progress, now: number): string {
  const attempt = state.action?.attempt ?? 1;
  return ` ${timeSince(step.started_at, now)}${attempt > 1 ? ` (attempt ${attempt})` : ""}`;
}

interface Used extends Bound {
  text: string;
}

/** A bar takes at least so many columns with its name and its figures. */
const NARROWEST = 24;

function gaugeWidth(columns: number): number {
  return Math.floor(columns / Math.max(1, Math.floor(columns / NARROWEST)));
}

/** What is used of bounds, in rows of bars; the fullest ones where there is not room for all, and none that is empty. */
function limitBars(state: LoopState, now: number, columns: number, rows: number): Used[][] {
  const each = Math.max(1, Math.floor(columns / NARROWEST));
  const all = usedOf(state, now).filter(({ used }) => used > 0);
  const fullest = all.toSorted((a, b) => shareOf(b) - shareOf(a)).slice(0, each * rows);
  const shown = all.filter((one) => fullest.includes(one));
  return Array.from({ length: Math.ceil(shown.length / each) }, (_, row) =>
    shown.slice(row * each, (row + 1) * each),
  );
}

const AMOUNT_WORDS: Readonly<Partial<Record<Bound["name"], (amount: number) => string>>> = {
  time: formatDuration,
  tokens: amountText,
  cost: dollars,
};

function usedOf(state: LoopState, now: number): Used[] {
  const shown = boundsOf(state).filter(({ name }) => name !== "failures");
  return shown.map(({ name, used: counted, bound }) => {
    const used = name === "time" ? counted + runningMs(state, now) : counted;
    const words = AMOUNT_WORDS[name] ?? String;
    return { name, used, bound, text: `${words(used)}/${words(bound)}` };
  });
}

function shareOf({ used, bound }: Used): number {
  return bound <= 0 ? 1 : used / bound;
}

/** Work is counted when an action ends; until then its clock runs on. */
function runningMs({ status, action, waiting }: LoopState, now: number): number {
  const runs = status === "running" && action && action.interrupted === null && !waiting;
  return runs ? Math.max(0, now - Date.parse(action.started_at)) : 0;
}
