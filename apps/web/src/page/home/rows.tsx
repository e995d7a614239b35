import {
  type Damaged,
  formatDuration,
  glyphOf,
  HEALTH_WORDS,
  type Head,
  type LoopRow,
  waitWord,
} from "@ccw-loop/view";
import { memo } from "react";
import { Meter, useNow } from "../parts/panel.tsx";
import { Link } from "../parts/router.tsx";
import { placeOf } from "./everywhere.ts";

export function GroupHead({ head: { health, count } }: { head: Head }) {
  const { name, tone } = HEALTH_WORDS[health];
  return (
    <h2 className={`group ${tone}`}>
      {name} <span className="count">{count}</span>
    </h2>
  );
}

function ProjectTag({ name }: { name: string | null }) {
  if (name === null) return null;
  return (
    <>
      <span className="tag">{name}</span>{" "}
    </>
  );
}

/** A loop that cannot be read: only a shell can help it. */
export function DamagedLoop({ loop: { id: placed, reason } }: { loop: Damaged }) {
  const { project, id } = placeOf(placed);
  return (
    <div className="loop-row">
      <span className="glyph bad" aria-hidden="true">
        {HEALTH_WORDS.damaged.glyph}
      </span>
      <span className="title">
        <ProjectTag name={project} />
        {id}
      </span>
      <span className="bad">
        Damaged: {reason} Try: <code>ccw-loop recover {id}</code>
      </span>
    </div>
  );
}

/** One loop in one line. */
export const LoopLine = memo(function LoopLine({ row }: { row: LoopRow }) {
  const { tone } = HEALTH_WORDS[row.health];
  const { tests, tasks, used } = row;
  const { project, id, path } = placeOf(row.id);
  return (
    <Link to={path} className="loop-row">
      <span className={`glyph ${tone}`} aria-hidden="true">
        {glyphOf(row)}
      </span>
      <span className="title">
        <ProjectTag name={project} />
        {row.title || id}
      </span>
      <span className={`status ${tone}`}>{waitWord(row)}</span>
      <span className="action quiet">{row.action ?? ""}</span>
      <span className="figures">
        <span title="Tasks that are done">
          {tasks.done}/{tasks.total}
          <span className="word"> tasks</span>
        </span>
        {tests === null ? (
          <span className="quiet">not tested</span>
        ) : (
          <span className={tests.failed === 0 ? "good" : "bad"}>
            {tests.failed === 0 ? `${tests.passed} green` : `${tests.failed} red`}
          </span>
        )}
      </span>
      <Meter share={used.share} label={`Used of its tightest bound (${used.bound})`} />
      <Age at={row.updatedAt} />
    </Link>
  );
});

/** How long ago the last change was. */
function Age({ at }: { at: number }) {
  const now = useNow(10_000);
  const ms = Math.max(0, now.getTime() - at);
  const text = ms < 60_000 ? "just now" : `${formatDuration(ms).split(" ")[0]} ago`;
  return <time className="age quiet">{text}</time>;
}
