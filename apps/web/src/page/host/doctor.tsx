import { toLoopError } from "@ccw-loop/core";
import { FINDING_LOOKS, verdictOf } from "@ccw-loop/view";
import { useCallback, useEffect, useState } from "react";
import { Panel } from "../parts/panel.tsx";
import { Link } from "../parts/router.tsx";
import { host } from "../parts/server.ts";

type Findings = Awaited<ReturnType<typeof host.doctor>>["findings"];

/** What a loop needs on the server's machine, and whether it is there. */
export function Doctor() {
  const [found, setFound] = useState<Findings | string | undefined>();
  const look = useCallback(() => {
    setFound(undefined);
    host.doctor().then(
      ({ findings }) => setFound(findings),
      (error: unknown) => setFound(toLoopError(error).message),
    );
  }, []);
  useEffect(look, []);
  useEffect(() => {
    document.title = "Doctor · CCW Loop";
  }, []);
  return (
    <div className="new">
      <nav aria-label="Back">
        <Link to="settings">← Settings</Link>
      </nav>
      <div className="title-row">
        <h1>Doctor</h1>
        <button type="button" onClick={look} disabled={found === undefined}>
          Look again
        </button>
      </div>
      <Found found={found} />
    </div>
  );
}

function Found({ found }: { found: Findings | string | undefined }) {
  if (found === undefined) {
    return <p role="status">The server looks at what a loop needs; that may take seconds.</p>;
  }
  if (typeof found === "string") return <p className="bad">{found}</p>;
  if (found === null) return <p>This server does not look at what a loop needs.</p>;
  return (
    <Panel title={verdictOf(found)}>
      <ul className="findings">
        {found.map(({ check, status, message, next }) => (
          <li key={`${check} ${message}`}>
            <span className={FINDING_LOOKS[status].tone}>{FINDING_LOOKS[status].word}</span>
            <strong>{check}</strong>
            <span>
              {message}
              {next !== null && <em className="quiet">{next}</em>}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
