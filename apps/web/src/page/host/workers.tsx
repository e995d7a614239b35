import { type LoopSummary, toLoopError } from "@ccw-loop/core";
import { pause, timeSince } from "@ccw-loop/view";
import { useEffect, useState } from "react";
import { Panel, useNow } from "../parts/panel.tsx";
import { Link } from "../parts/router.tsx";
import { loops } from "../parts/server.ts";

const AGAIN_MS = 3000;
/** More running loops than one page of the API has are not shown. */
const MOST = 500;

/** Who drives which loops: every process that has a lease, wherever it runs where the store is shared. */
export function Workers() {
  const running = useRunning();
  useEffect(() => {
    document.title = "Workers · CCW Loop";
  }, []);
  return (
    <div className="new">
      <nav aria-label="Back">
        <Link to="settings">← Settings</Link>
      </nav>
      <h1>Workers</h1>
      {running === null && <p role="status">The loops are being read.</p>}
      {typeof running === "string" && <p className="bad">{running}</p>}
      {Array.isArray(running) && <Drivers running={running} />}
    </div>
  );
}

function useRunning(): LoopSummary[] | string | null {
  const [running, setRunning] = useState<LoopSummary[] | string | null>(null);
  useEffect(() => {
    const over = new AbortController();
    const { signal } = over;
    void (async () => {
      for (; !signal.aborted; await pause(AGAIN_MS, signal)) {
        const found = await loops.summaries({ status: "running", limit: MOST }).then(
          (page) => page.loops,
          (error: unknown) => toLoopError(error).message,
        );
        if (!signal.aborted) setRunning(found);
      }
    })();
    return () => over.abort();
  }, []);
  return running;
}

function Drivers({ running }: { running: readonly LoopSummary[] }) {
  const now = useNow();
  const driven = running.filter(({ driven_by }) => driven_by !== null);
  const drivers = [...Map.groupBy(driven, ({ driven_by }) => driven_by ?? "")].sort();
  const left = running.filter(({ undriven_since }) => undriven_since !== null);
  return (
    <>
      {drivers.length === 0 && <p>Nobody drives a loop now.</p>}
      {drivers.map(([driver, own]) => (
        <Panel key={driver} title={driver} note={`${own.length}`}>
          <Loops
            loops={own}
            note={({ action, updated_at }) => `${action ?? ""} ${timeSince(updated_at, now)}`}
          />
        </Panel>
      ))}
      {left.length > 0 && (
        <Panel title="Driven by nobody" note={`${left.length}`}>
          <Loops
            loops={left}
            note={({ undriven_since }) => `for ${timeSince(undriven_since ?? "", now)}`}
          />
        </Panel>
      )}
    </>
  );
}

interface LoopsProps {
  loops: readonly LoopSummary[];
  note: (loop: LoopSummary) => string;
}

function Loops({ loops: shown, note }: LoopsProps) {
  return (
    <ul className="lines">
      {shown.map((loop) => (
        <li key={loop.id}>
          <Link to={`loops/${encodeURIComponent(loop.id)}`}>{loop.title}</Link>{" "}
          <span className="quiet">{note(loop)}</span>
        </li>
      ))}
    </ul>
  );
}
