import type { TestGrid } from "@ccw-loop/view";
import { useState } from "react";
import { Panel, Scrolls } from "../parts/panel.tsx";
import { SearchField } from "../parts/search.tsx";
import { Plot } from "./plot.tsx";

/** More rows than anybody reads; the search finds the others. */
const MOST = 300;

const LOOKS = {
  passed: { tone: "good", glyph: "✔", word: "green" },
  failed: { tone: "bad", glyph: "✖", word: "red" },
  skipped: { tone: "quiet", glyph: "○", word: "skipped" },
} as const;

/** Which share of the tests passed, run by run. */
export function PassRate({ runs }: Pick<TestGrid, "runs">) {
  const rates = runs.flatMap(({ rate }) => (rate === null ? [] : [rate]));
  const text = (rate: number) => `${Math.round(rate * 100)} %`;
  return <Plot title="Pass rate" top={1} values={rates} text={text} />;
}

/** How the runs of the tests went: pass rate and coverage, and every test in every run. */
export function Runs({ grid }: { grid: TestGrid }) {
  const [search, setSearch] = useState("");
  const { runs } = grid;
  if (runs.length === 0) return <p className="quiet">The tests have not been run.</p>;
  const wanted = search.trim().toLowerCase();
  const rows = grid.rows.filter(({ test }) => test.toLowerCase().includes(wanted));
  return (
    <>
      <Panel title="Runs" note={`${runs.length}`}>
        <div className="plots">
          <PassRate runs={runs} />
          <Plot
            title="Coverage"
            top={100}
            text={(value) => `${Math.round(value)} %`}
            values={runs.flatMap(({ coverage }) => (coverage === null ? [] : [coverage]))}
          />
        </div>
      </Panel>
      <Panel title="Tests in every run" note={`${rows.length} of ${grid.rows.length} tests`}>
        <SearchField label="Search for a test" value={search} onChange={setSearch} />
        <Scrolls label="Table of tests">
          <table className="grid">
            <thead>
              <tr>
                <th scope="col">test</th>
                {runs.map(({ iteration, at, passed }) => (
                  <th key={at} scope="col" className={passed ? "good" : "bad"}>
                    {iteration === 0 ? "start" : `#${iteration}`}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, MOST).map(({ test, states }) => (
                <tr key={test}>
                  <th scope="row">{test}</th>
                  {states.map((state, at) => (
                    <td key={runs[at]?.at} className={state ? LOOKS[state].tone : "quiet"}>
                      <span aria-hidden="true">{state ? LOOKS[state].glyph : "·"}</span>
                      <span className="unseen">{state ? LOOKS[state].word : "not there"}</span>
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolls>
        {rows.length > MOST && (
          <p className="quiet">… and {rows.length - MOST} more; the search finds them.</p>
        )}
      </Panel>
    </>
  );
}
