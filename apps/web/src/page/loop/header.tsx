import { type Bound, boundsOf, dollars, type LoopState, selectNextAction } from "@ccw-loop/core";
import {
  BOUND_WORDS,
  driverText,
  type FollowedLoop,
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
  undrivenText,
  untestedText,
  waitOf,
} from "@ccw-loop/view";
import { Meter, Panel, Toned, useNow } from "../parts/panel.tsx";

/** How the loop stands: its status, where it is in the sequence, and the one thing to know now. */
export function Standing({ loop, progress }: { loop: FollowedLoop; progress: Progress }) {
  const now = useNow();
  const { state } = progress;
  const said = sentenceOf(loop, state, now);
  const [home] = homeCommands(state);
  return (
    <div className="standing">
      <p className="facts">
        <strong className={state.waiting ? "warning" : STATUS_TONES[state.status]}>
          {statusSummary(state, now)}
        </strong>
        <code>{state.loop_id}</code>
        {state.status === "running" && !state.waiting && loop.driver !== undefined && (
          <span className="quiet">driven by {driverText(loop.driver, now)}</span>
        )}
        {(state.tags ?? []).map((tag) => (
          <span key={tag} className="tag">
            {tag}
          </span>
        ))}
      </p>
      <Rail progress={progress} now={now} />
      <p className="said">
        <Toned line={said} />
      </p>
      {home !== undefined && (
        <p>
          Its work is on a branch of its own: <code>{home}</code>
        </p>
      )}
      {state.description !== "" && state.description !== state.title && (
        <details>
          <summary>What it is to do</summary>
          <p className="description">{state.description}</p>
        </details>
      )}
    </div>
  );
}

/** That nobody drives it, what it waits for, how it ended, or what its tests said last. */
function sentenceOf({ driver, gone }: FollowedLoop, state: LoopState, now: Date): TonedLine {
  if (gone !== null) return { tone: "bad", text: gone };
  const since = driver?.undriven_since ?? null;
  if (since !== null) return { tone: "warning", text: undrivenText(state, since, now) };
  const waits = waitOf(state, now);
  if (waits !== undefined) return { tone: "warning", text: sanitizeLine(waits) };
  const { outcome, status } = state;
  if (outcome && (status === "completed" || status === "failed")) {
    const good = status === "completed" && outcome.code !== "waived";
    const tone = good ? "good" : status === "completed" ? "warning" : "bad";
    return { tone, text: `${outcome.code}: ${outcome.message}` };
  }
  const receipt = state.receipts?.at(-1);
  if (!receipt) return { tone: "quiet", text: untestedText(state) };
  return { tone: receipt.passed ? "good" : "bad", text: `Last run ${receiptText(receipt)}` };
}

/** The documented sequence. */
const SEQUENCE = ["INIT", "DEVELOP", "DEBUG", "VALIDATE", "COMPLETE"] as const;

function Rail({ progress, now }: { progress: Progress; now: Date }) {
  const { state, steps } = progress;
  const next = state.status === "running" ? selectNextAction(state).action : null;
  return (
    <ol className="rail" aria-label="Where it is">
      {SEQUENCE.map((name) => {
        const own = steps.filter(({ action }) => action === name);
        const last = own.at(-1);
        const status = last === undefined ? "pending" : statusOf(last, state);
        const tone =
          status === "pending" ? (name === next ? "strong" : "quiet") : STEP_TONES[status];
        return (
          <li key={name} className={tone} aria-current={status === "running" ? "step" : undefined}>
            <span aria-hidden="true">{STEP_GLYPHS[status]}</span> {name}
            {own.length > 1 && ` ×${own.length}`}
            {status === "running" && last && (
              <span className="runs"> {timeSince(last.started_at, now)}</span>
            )}
            <span className="unseen"> {status}</span>
          </li>
        );
      })}
    </ol>
  );
}

/** An action of a loop that rests does not run. */
function statusOf({ status }: Step, state: LoopState): Step["status"] {
  return status === "running" && state.status !== "running" ? "interrupted" : status;
}

/** What is used of every bound. */
export function Limits({ state }: { state: LoopState }) {
  return (
    <Panel title="Bounds">
      <ul className="bounds">
        {boundsOf(state).map((bound) => (
          <li key={bound.name}>
            <span>{sentence(BOUND_WORDS[bound.name])}</span>
            <Meter share={bound.used / bound.bound} label={`Used of ${BOUND_WORDS[bound.name]}`} />
            <span className="quiet">{figuresOf(bound)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function sentence(words: string): string {
  const short = words.replace(/^the /, "");
  return short.charAt(0).toUpperCase() + short.slice(1);
}

function figuresOf({ name, used, bound }: Bound): string {
  if (name === "time") return `${formatDuration(used)} of ${formatDuration(bound)}`;
  if (name === "cost") return `${dollars(used)} of ${dollars(bound)}`;
  return `${used.toLocaleString("en")} of ${bound.toLocaleString("en")}`;
}
