import { counted, type LoopDiff, type LoopState, toLoopError } from "@ccw-loop/core";
import { comparedFacts, comparedFiles, sortedRows } from "@ccw-loop/view";
import { useEffect, useState } from "react";
import { own } from "../home/feed.ts";
import { usePast } from "../loop/feed.ts";
import { PassRate } from "../loop/runs.tsx";
import { Panel, Scrolls, useNow } from "../parts/panel.tsx";
import { goTo, Link } from "../parts/router.tsx";
import { loops } from "../parts/server.ts";
import { useStore } from "../parts/store.ts";

const SIDES = ["a", "b"] as const;

/** Two loops beside each other, such as a loop and its fork; the address names them: `?a=ID&b=ID`. */
export function Compare({ query }: { query: URLSearchParams }) {
  useEffect(own.keep, []);
  useEffect(() => {
    document.title = "Compare · CCW Loop";
  }, []);
  const ids = SIDES.map((side) => query.get(side) ?? "");
  const choose = (side: string, id: string) => {
    const next = new URLSearchParams(query);
    next.set(side, id);
    goTo(`compare?${next}`, { replace: true });
  };
  return (
    <div className="loop">
      <nav aria-label="Back">
        <Link to="">← All loops</Link>
      </nav>
      <h1>Compare two loops</h1>
      <div className="sides">
        {SIDES.map((side, at) => (
          <Choice
            key={side}
            label={at === 0 ? "This loop" : "with this one"}
            id={ids[at] ?? ""}
            onChoose={(id) => choose(side, id)}
          />
        ))}
      </div>
      {ids.every((id) => id !== "") ? (
        <Both key={ids.join(" ")} ids={ids} />
      ) : (
        <p className="quiet">
          Choose two loops: what they did, used and changed stands side by side.
        </p>
      )}
    </div>
  );
}

interface ChoiceProps {
  label: string;
  id: string;
  onChoose: (id: string) => void;
}

/** So many are offered; another one can be named in the address. */
const OFFERED = 500;

function Choice({ label, id, onChoose }: ChoiceProps) {
  const rows = sortedRows(useStore(own.known).rows, "newest").slice(0, OFFERED);
  const isOffered = rows.some((row) => row.id === id);
  return (
    <label>
      {label}
      <select value={id} onChange={(event) => onChoose(event.target.value)}>
        {!isOffered && <option value={id}>{id === "" ? "choose one" : id}</option>}
        {rows.map((row) => (
          <option key={row.id} value={row.id}>
            {row.title} ({row.id})
          </option>
        ))}
      </select>
    </label>
  );
}

interface Side {
  state: LoopState;
  files: LoopDiff["files"];
}

function Both({ ids }: { ids: readonly string[] }) {
  const [sides, setSides] = useState<Side[] | string | null>(null);
  const revisions = useStore(own.known).rows;
  const changed = ids.map((id) => revisions.get(id)?.revision).join();
  useEffect(() => {
    let isOver = false;
    Promise.all(ids.map(read)).then(
      (found) => isOver || setSides(found),
      (error: unknown) => isOver || setSides(toLoopError(error).message),
    );
    return () => {
      isOver = true;
    };
  }, [changed]);
  if (sides === null) return <p role="status">The loops are being read.</p>;
  if (typeof sides === "string") return <p className="bad">{sides}</p>;
  const [a, b] = sides;
  if (a === undefined || b === undefined) return null;
  return (
    <>
      <Facts sides={[a, b]} />
      <div className="sides">
        {sides.map(({ state }) => (
          <TestRuns key={state.loop_id} state={state} />
        ))}
      </div>
      <Files sides={[a, b]} />
    </>
  );
}

async function read(id: string): Promise<Side> {
  const state = await loops.get(id);
  // One that did nothing yet has no checkpoint to compare with.
  const hasDone = (state.checkpoints ?? []).length > 1;
  return { state, files: hasDone ? (await loops.diff(id)).files : [] };
}

function Heads({ sides }: { sides: readonly [Side, Side] }) {
  return (
    <thead>
      <tr>
        <td />
        {sides.map(({ state }, at) => (
          <th key={SIDES[at]} scope="col">
            <Link to={`loops/${encodeURIComponent(state.loop_id)}`}>{state.title}</Link>
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Facts({ sides }: { sides: readonly [Side, Side] }) {
  const now = useNow();
  const [a, b] = sides.map(({ state }) => comparedFacts(state, now));
  return (
    <Panel title="What they came to">
      <Scrolls label="Table of facts">
        <table className="compared">
          <Heads sides={sides} />
          <tbody>
            {a?.map(([name, value], at) => {
              const other = b?.[at]?.[1] ?? "";
              const tone = other === value ? "quiet" : "plain";
              return (
                <tr key={name} className={tone}>
                  <th scope="row">{name}</th>
                  <td>{value}</td>
                  <td>{other}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </Scrolls>
    </Panel>
  );
}

function TestRuns({ state }: { state: LoopState }) {
  const past = usePast(state.loop_id, state.checkpoints?.length ?? 0);
  const runs = past?.grid.runs ?? [];
  return (
    <Panel
      title={`${state.title} (${state.loop_id})`}
      note={past === null ? "…" : counted(runs.length, "run")}
    >
      {runs.length === 0 && <p className="quiet">The tests have not been run.</p>}
      <PassRate runs={runs} />
    </Panel>
  );
}

function Files({ sides }: { sides: readonly [Side, Side] }) {
  const [a, b] = sides;
  const files = comparedFiles(a.files, b.files);
  return (
    <Panel title="Changed files" note={`${files.length}`}>
      {files.length === 0 && <p className="quiet">Neither changed a file.</p>}
      <Scrolls label="Table of files">
        <table className="compared">
          {files.length > 0 && <Heads sides={sides} />}
          <tbody>
            {files.map(({ path, changes }) => (
              <tr key={path}>
                <th scope="row">
                  <code>{path}</code>
                </th>
                {changes.map((change, at) => (
                  <td key={SIDES[at]}>
                    {change === "" ? <span className="quiet">–</span> : change}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolls>
    </Panel>
  );
}
