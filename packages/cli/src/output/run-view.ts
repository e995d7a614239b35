import { type LiveEvent, type LoopState, statusWord } from "@ccw-loop/core";
import {
  applyEvent,
  collapsedRoundLine,
  currentRoundLines,
  type LogEntry,
  logEntryOf,
  type Paint,
  type Progress,
  roundsOf,
  sanitizeJson,
  sanitizeLine,
  type TonedLine,
  timeSince,
  truncateToWidth,
  upcomingLines,
  waitOf,
} from "@ccw-loop/view";
import type { Context } from "../runtime/context.ts";
import { outcomeHint } from "./outcome.ts";

/** How a running loop is shown while it runs. */
export interface View {
  event(event: LiveEvent): void;
  /** Leaves the screen to somebody else, for a question, until `resume`. */
  suspend(): void;
  resume(): void;
  /** Shows what there is for the last time. */
  close(): void;
}

/** The view that fits: events on stdout when asked for, a live list on a terminal, else a line per fact. */
export async function openView(
  context: Context,
  soFar: Progress,
  options: { events?: boolean },
): Promise<View> {
  if (options.events) return eventsView(context);
  const { io } = context;
  const terminal = io.stderr.isTTY === true && io.env.TERM !== "dumb";
  return terminal ? liveView(context, soFar) : plainView(context, soFar);
}

/** A view that leaves the screen to others all the time. */
const NO_SCREEN = { suspend() {}, resume() {}, close() {} };

function eventsView({ io }: Context): View {
  return {
    event: (event) => void io.stdout.write(`${sanitizeJson(event)}\n`),
    ...NO_SCREEN,
  };
}

/** At most 20 frames in a second, whatever the agent prints. */
const FRAME_MS = 50;
/** So that the clocks in the frame go on. */
const TICK_MS = 1000;

/** The folded list of a running loop on the terminal behind stderr, drawn in place. */
async function liveView(context: Context, soFar: Progress): Promise<View> {
  const { stderr } = context.io;
  const { createLogUpdate } = await import("log-update");
  const draw = createLogUpdate(stderr);
  const previousSay = context.say;
  let progress = soFar;
  let suspended = false;
  let closed = false;
  let frame: NodeJS.Timeout | undefined;

  const render = () => {
    frame = undefined;
    if (suspended || closed) return;
    // One row stays free for the cursor, one column so that no terminal wraps.
    const rows = Math.max(4, (stderr.rows ?? 24) - 1);
    const columns = Math.max(20, (stderr.columns ?? 80) - 1);
    draw(renderFrame(frameOf(progress, new Date(), rows), columns, context.paintError));
  };
  const soon = () => {
    frame ??= setTimeout(render, FRAME_MS);
  };
  const tick = setInterval(soon, TICK_MS);
  tick.unref();
  stderr.on("resize", soon);

  /** Lines of others stay above the frame, which is drawn again below them. */
  const sayAbove = (text: string) => {
    draw.persist(text);
    render();
  };
  const leave = () => {
    clearTimeout(frame);
    render();
    draw.done();
    context.say = previousSay;
  };
  context.say = sayAbove;
  return {
    event(event) {
      progress = applyEvent(progress, event);
      soon();
    },
    suspend() {
      leave();
      suspended = true;
    },
    resume() {
      suspended = false;
      context.say = sayAbove;
      soon();
    },
    close() {
      if (!suspended) leave();
      closed = true;
      clearInterval(tick);
      stderr.off("resize", soon);
    },
  };
}

/** One line per fact on stderr, with its time. */
export function plainView(context: Context, soFar: Progress): View {
  let progress = soFar;
  const now = new Date();
  // The wait began before, and may be the only thing for hours.
  const wait = waitOf(progress.state, now);
  if (wait !== undefined && progress.state.waiting?.until !== undefined) {
    context.say(factLine({ at: now.toISOString(), tone: "warning", text: wait }, context));
  }
  return {
    event(event) {
      progress = applyEvent(progress, event);
      const fact = logEntryOf(event, progress);
      if (!fact) return;
      const text = tellsEnd(event)
        ? context.hint(fact.text)
        : outcomeHint(progress.state, fact.text, context.hint);
      context.say(factLine({ ...fact, text }, context));
    },
    ...NO_SCREEN,
  };
}

/** COMPLETE says in our words how the loop ends, before the state does. */
function tellsEnd(event: LiveEvent): boolean {
  const recorded = event.kind === "recorded" ? event.recorded.event : undefined;
  return recorded?.type === "action.completed" && recorded.action === "COMPLETE";
}

/** `2026-01-22T10:00:05Z DEVELOP started, task 1/3: …`. */
function factLine(fact: LogEntry, { paintError }: Pick<Context, "paintError">): string {
  const time = `${new Date(fact.at).toISOString().slice(0, 19)}Z`;
  return `${paintError("quiet", time)} ${paintError(fact.tone, fact.text)}`;
}

/**
 * The whole live view in at most `rows` lines: what is under way unfolded, the earlier rounds folded to a
 * line each. When it does not fit, the oldest rounds give way first, then the activity.
 */
export function frameOf(progress: Progress, now: Date, rows: number): TonedLine[] {
  const { state, activity } = progress;
  const rounds = roundsOf(progress.steps);
  const ended = state.status === "completed" || state.status === "failed";
  const current = ended ? undefined : rounds.at(-1);
  const earlier = (current ? rounds.slice(0, -1) : rounds).map(collapsedRoundLine);
  const head = headLines(state, now);
  const body = current ? currentRoundLines(current, now) : [];
  const tail = ended ? [] : upcomingLines(state, current);
  const room = Math.max(0, rows - head.length - body.length - tail.length);
  // Which action it is stands above already.
  const shown = activity.lines.filter(({ tone }) => tone !== "strong").slice(-Math.min(6, room));
  const acts = shown.map(({ text }): TonedLine => ({ tone: "quiet", text: `      ${text}` }));
  const past = lastLines(earlier, room - acts.length);
  return [...head, ...past, ...body, ...acts, ...tail].slice(0, Math.max(1, rows));
}

/** A frame as text, no line wider than `columns`. */
export function renderFrame(lines: readonly TonedLine[], columns: number, paint: Paint): string {
  return lines.map(({ tone, text }) => paint(tone, truncateToWidth(text, columns))).join("\n");
}

function headLines(state: LoopState, now: Date): TonedLine[] {
  const { usage } = state;
  const waits = waitOf(state, now);
  const facts = [
    state.loop_id,
    statusWord(state),
    `${state.current_iteration} of ${state.max_iterations} iterations`,
    timeSince(state.created_at, now),
    ...(usage && usage.total_tokens > 0 ? [`${thousands(usage.total_tokens)} tokens`] : []),
  ];
  const lines: TonedLine[] = [
    { tone: "strong", text: sanitizeLine(state.title) },
    { tone: "quiet", text: facts.join(" · ") },
  ];
  if (waits !== undefined) lines.push({ tone: "warning", text: sanitizeLine(waits) });
  return lines;
}

/** The last lines that fit; one line says how many are missing. */
function lastLines(lines: TonedLine[], room: number): TonedLine[] {
  if (lines.length <= room) return lines;
  if (room <= 0) return [];
  const shown = room === 1 ? [] : lines.slice(1 - room);
  const hidden = lines.length - shown.length;
  return [{ tone: "quiet", text: `… ${hidden} earlier lines` }, ...shown];
}

function thousands(count: number): string {
  return count < 10_000 ? String(count) : `${Math.round(count / 1000)}k`;
}
