import { type LoopDiff, type LoopState, toLoopError } from "@ccw-loop/core";
import { diffSum, fileRows, patchLines } from "@ccw-loop/view";
import { useEffect, useState } from "react";
import { Panel, Scrolls } from "../parts/panel.tsx";
import { goTo, usePlace } from "../parts/router.tsx";
import { loops } from "../parts/server.ts";

/** Nobody reads more on one page; the command line has all of it. */
const MOST_LINES = 5000;

/** What changed between two checkpoints that the address names; from the start to the newest otherwise. */
export function Changes({ state }: { state: LoopState }) {
  const { query } = usePlace();
  const numbers = (state.checkpoints ?? []).map(({ n }) => n);
  const [from, to] = [numberIn(query, "from"), numberIn(query, "to")];
  const newest = numbers.at(-1);
  const [got, setGot] = useState<LoopDiff | string | null>(null);
  const id = state.loop_id;
  useEffect(() => {
    let isOver = false;
    const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
    loops.diff(id, range).then(
      (diff) => isOver || setGot(diff),
      (error: unknown) => isOver || setGot(toLoopError(error).message),
    );
    return () => {
      isOver = true;
    };
  }, [id, from, to, newest]);
  const choose = (name: string, value: string) => {
    const next = new URLSearchParams(query);
    next.set(name, value);
    goTo(`loops/${encodeURIComponent(id)}/changes?${next}`, { replace: true });
  };
  if (got === null) return <p role="status">The changes are being read.</p>;
  if (typeof got === "string") return <p className="bad">{got}</p>;
  return (
    <>
      <Panel title="Changed files" note={diffSum(got)}>
        <div className="range">
          {(["from", "to"] as const).map((name) => (
            <label key={name}>
              {name === "from" ? "From checkpoint" : "to"}{" "}
              <select value={got[name]} onChange={(event) => choose(name, event.target.value)}>
                {numbers.map((n) => (
                  <option key={n}>{n}</option>
                ))}
              </select>
            </label>
          ))}
        </div>
        <ul className="lines">
          {fileRows(got.files).map(({ tone, cells: [word, lines, path] }) => (
            <li key={path} className={tone}>
              <a href={`#file-${path}`}>{path}</a> <span className="quiet">{lines}</span> {word}
            </li>
          ))}
        </ul>
        {got.files.length === 0 && <p className="quiet">No file changed.</p>}
      </Panel>
      {got.files.length > 0 && <Patch patch={got.patch} id={id} />}
    </>
  );
}

function numberIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function Patch({ patch, id }: { patch: string; id: string }) {
  const lines = patchLines(
    patch
      .trimEnd()
      .split("\n", MOST_LINES + 1)
      .join("\n"),
  );
  return (
    <Panel title="Patch">
      <Scrolls label="Lines of the patch">
        <div className="patch">
          {lines.slice(0, MOST_LINES).map(({ tone, text }, at) => {
            const [, path] = /^diff --git a\/.* b\/(.*)$/.exec(text) ?? [];
            return (
              <div key={at} className={tone} id={path === undefined ? undefined : `file-${path}`}>
                {text || " "}
              </div>
            );
          })}
        </div>
      </Scrolls>
      {lines.length > MOST_LINES && (
        <p className="warning">
          The rest is left out here; all of it: <code>ccw-loop diff {id}</code>
        </p>
      )}
    </Panel>
  );
}
