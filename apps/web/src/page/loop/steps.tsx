import {
  collapsedRoundLine,
  currentRoundLines,
  type Progress,
  roundsOf,
  type TonedLine,
  upcomingLines,
} from "@ccw-loop/view";
import { Panel, Toned, useNow } from "../parts/panel.tsx";

/** What was done round by round, the last one unfolded, and what the rules would do from here. */
export function Steps({ progress }: { progress: Progress }) {
  const now = useNow();
  const { state, steps } = progress;
  const rounds = roundsOf(steps);
  const last = rounds.at(-1);
  const ended = state.status === "completed" || state.status === "failed";
  const lines: TonedLine[] = [
    ...rounds.slice(0, -1).map(collapsedRoundLine),
    ...(last ? currentRoundLines(last, now) : []),
    ...(ended ? [] : upcomingLines(state, last)),
  ];
  return (
    <Panel
      title="Actions"
      note={`${state.current_iteration} of ${state.max_iterations} iterations`}
    >
      {lines.length === 0 && <p className="quiet">Nothing was done yet.</p>}
      <ol className="lines">
        {lines.map((line, at) => (
          <li key={at}>
            <Toned line={line} />
          </li>
        ))}
      </ol>
    </Panel>
  );
}
