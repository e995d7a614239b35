import type { Receipt } from "@ccw-loop/core";
import {
  baselineRows,
  countsText,
  coverageLines,
  type NamedRow,
  type Progress,
  proofText,
  SQUARE_HEAD,
  squareGrid,
  TEST_TONES,
  testRows,
  untestedText,
} from "@ccw-loop/view";
import { tellError } from "../parts/notice.tsx";
import { Panel, Toned } from "../parts/panel.tsx";
import { loops } from "../parts/server.ts";
import { Verify } from "./verify.tsx";

/** What the last test run said: the square of its proof, and what became of which tests. */
export function Tests({ progress: { state } }: { progress: Progress }) {
  const receipt = state.receipts?.at(-1);
  if (receipt === undefined) {
    return (
      <Panel title="Proof">
        <p className="quiet">{untestedText(state)}</p>
        <Rows rows={baselineRows(state)} />
      </Panel>
    );
  }
  const run = receipt.counts.total > 0 ? countsText(receipt.counts) : receipt.reason;
  return (
    <Panel title="Proof" note={run}>
      <p>
        <Toned line={proofText(state, receipt)} />
      </p>
      {receipt.square && <SquareTable square={receipt.square} />}
      <Rows rows={testRows(state)} />
      <Rows rows={[["Coverage", coverageLines(state)]]} />
      {receipt.waived === undefined && (
        <div className="controls">
          <button type="button" onClick={() => void download(state.loop_id).catch(tellError)}>
            Download the receipt
          </button>
          <Verify id={state.loop_id} />
        </div>
      )}
    </Panel>
  );
}

/** The receipt as a file that `ccw-loop verify` reads on any machine with the repository. */
async function download(id: string): Promise<void> {
  const receipt = await loops.receipt(id);
  const blob = new Blob([`${JSON.stringify(receipt, null, 2)}\n`], { type: "application/json" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${id}-receipt.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}

function SquareTable({ square }: { square: NonNullable<Receipt["square"]> }) {
  return (
    <table className="square">
      <caption className="unseen">The four runs that the proof rests on</caption>
      <thead>
        <tr>
          <td />
          {SQUARE_HEAD.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {squareGrid(square).map(({ tests, cells }) => (
          <tr key={tests}>
            <th scope="row">{tests}</th>
            {cells.map(({ name, text, tone }) => (
              <td key={name} className={tone}>
                <span className="name">{name}</span>
                {text}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Names with their values; long lists are folded. */
function Rows({ rows }: { rows: readonly NamedRow[] }) {
  const shown = rows.filter(([, values]) => values.length > 0);
  return shown.map(([name, values]) => (
    <details key={name} open={values.length <= 5} className="row">
      <summary className={TEST_TONES[name] ?? "quiet"}>
        {name}: {values.length}
      </summary>
      <ul className="lines">
        {values.map((value) => (
          <li key={value}>{value}</li>
        ))}
      </ul>
    </details>
  ));
}
