import { dollars, isLoopError, type LoopState, type TimelineEntry } from "@ccw-loop/core";
import {
  checkpointsOf,
  forkEffects,
  formatDuration,
  rewindEffects,
  rewoundText,
  TIMELINE_HEAD,
  timelineRows,
} from "@ccw-loop/view";
import { useState } from "react";
import { Dialog } from "../parts/dialog.tsx";
import { tell } from "../parts/notice.tsx";
import { Panel, Scrolls } from "../parts/panel.tsx";
import { goTo, Link } from "../parts/router.tsx";
import { loops } from "../parts/server.ts";
import type { Past } from "./feed.ts";
import { Plot } from "./plot.tsx";

interface HistoryProps {
  state: LoopState;
  past: Past;
  mayAct: boolean;
}

type Asked = { what: "rewind" | "fork"; to: number };

/** Every action over time, and what each changed; from here a loop goes back, or another one begins. */
export function History({ state, past: { entries, spent }, mayAct }: HistoryProps) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const rows = timelineRows(entries);
  const id = state.loop_id;
  if (entries.length === 0) return <p className="quiet">Nothing was done yet.</p>;
  return (
    <>
      <Panel title="Over time" note={formatDuration(spanOf(entries).ms)}>
        <Bars entries={entries} />
        <div className="plots">
          <Plot
            title="Tokens"
            values={summedTokens(entries)}
            text={(n) => n.toLocaleString("en")}
          />
          <Plot title="Money" values={spent} top={spent.at(-1) || 1} text={dollars} />
        </div>
      </Panel>
      <Panel title="Every action">
        <Scrolls label="Table of actions">
          <table className="timeline">
            <thead>
              <tr>
                {TIMELINE_HEAD.map((name) => (
                  <th key={name} scope="col">
                    {name.toLowerCase()}
                  </th>
                ))}
                <td />
              </tr>
            </thead>
            <tbody>
              {rows.map(({ tone, cells }, at) => (
                <tr key={`${entries[at]?.at} ${cells[2]}`} className={tone}>
                  {cells.map((cell, i) => (
                    <td key={TIMELINE_HEAD[i]}>{cell}</td>
                  ))}
                  <td className="does">
                    <Does
                      state={state}
                      entry={entries[at]}
                      mayAct={mayAct}
                      onAsk={(what, to) => setAsked({ what, to })}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolls>
      </Panel>
      {asked?.what === "rewind" && (
        <RewindDialog id={id} to={asked.to} onClose={() => setAsked(null)} />
      )}
      {asked?.what === "fork" && (
        <ForkDialog state={state} from={asked.to} onClose={() => setAsked(null)} />
      )}
    </>
  );
}

interface DoesProps {
  state: LoopState;
  entry: TimelineEntry | undefined;
  mayAct: boolean;
  onAsk: (what: Asked["what"], to: number) => void;
}

/** What can be done with an action: of a loop that runs a rewind would be refused. */
function Does({ state, entry, mayAct, onAsk }: DoesProps) {
  const range = checkpointsOf(entry, state);
  if (range === undefined) return null;
  const path = `loops/${encodeURIComponent(state.loop_id)}/changes?from=${range.from}&to=${range.to}`;
  const of = `checkpoint ${range.to}`;
  return (
    <>
      <Link to={path} aria-label={`Diff to ${of}`}>
        Diff
      </Link>
      {mayAct && state.status !== "running" && (
        <button type="button" className="ghost" onClick={() => onAsk("rewind", range.to)}>
          Rewind<span className="unseen"> to {of}</span>
        </button>
      )}
      {mayAct && (
        <button type="button" className="ghost" onClick={() => onAsk("fork", range.to)}>
          Fork<span className="unseen"> at {of}</span>
        </button>
      )}
    </>
  );
}

function RewindDialog({ id, to, onClose }: { id: string; to: number; onClose: () => void }) {
  const [reason, setReason] = useState<string | null>(null);
  const act = async () => {
    try {
      const rewound = await loops.rewind(id, to, { force: reason !== null });
      tell("good", rewoundText(rewound, to));
    } catch (error) {
      // Asked once more: then what both changed goes back as well.
      if (isLoopError(error, "workspace_changed")) setReason(error.message);
      throw error;
    }
  };
  const force = "All the same: the files as they are now are kept first.";
  return (
    <Dialog
      title={`Rewind to checkpoint ${to}?`}
      effects={reason === null ? rewindEffects(id, to) : [...rewindEffects(id, to), force]}
      verb={reason === null ? "Rewind" : "Rewind all the same"}
      danger
      act={act}
      onClose={onClose}
    />
  );
}

interface ForkProps {
  state: LoopState;
  from: number;
  onClose: () => void;
}

function ForkDialog({ state, from, onClose }: ForkProps) {
  const title = `${state.title} (fork at ${from})`;
  const act = async () => {
    const made = await loops.fork(state.loop_id, from, { title });
    tell("good", `Loop ${made.loop_id} is made.`);
    goTo(`loops/${encodeURIComponent(made.loop_id)}`);
  };
  return (
    <Dialog
      title={`Fork at checkpoint ${from}?`}
      effects={forkEffects(title)}
      verb="Fork"
      act={act}
      onClose={onClose}
    />
  );
}

const LANES = ["INIT", "DEVELOP", "DEBUG", "VALIDATE", "COMPLETE"] as const;

function spanOf(entries: readonly TimelineEntry[]): { start: number; ms: number } {
  const start = Math.min(...entries.map(({ at, active_ms }) => Date.parse(at) - active_ms));
  const end = Math.max(...entries.map(({ at }) => Date.parse(at)));
  return { start, ms: Math.max(1, end - start) };
}

/** A lane for each kind of action, a bar for each that was done; the table below says the same in words. */
function Bars({ entries }: { entries: readonly TimelineEntry[] }) {
  const { start, ms } = spanOf(entries);
  const rows = timelineRows(entries);
  return (
    <div className="bars" aria-hidden="true">
      {LANES.map((lane) => (
        <div key={lane} className="lane">
          <span className="quiet">{lane}</span>
          <div>
            {entries.map(({ action, at, active_ms, message }, i) => {
              if (action !== lane) return null;
              const left = ((Date.parse(at) - active_ms - start) / ms) * 100;
              const width = (active_ms / ms) * 100;
              return (
                <span
                  key={at}
                  className={`bar ${rows[i]?.tone}`}
                  style={{ left: `min(${left}%, 100% - 3px)`, width: `max(3px, ${width}%)` }}
                  title={`${formatDuration(active_ms)}: ${message}`}
                />
              );
            })}
          </div>
        </div>
      ))}
    </div>
  );
}

function summedTokens(entries: readonly TimelineEntry[]): number[] {
  let sum = 0;
  return entries.map(({ tokens }) => {
    sum += tokens;
    return sum;
  });
}
