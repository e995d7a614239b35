import { asksPerson, type FollowedLoop, type Progress } from "@ccw-loop/view";
import { useEffect } from "react";
import { Link } from "../parts/router.tsx";
import { isReader, session } from "../parts/server.ts";
import { useStore } from "../parts/store.ts";
import { AgentLog } from "./agent.tsx";
import { Changes } from "./changes.tsx";
import { Controls } from "./controls.tsx";
import { useLoop, usePast } from "./feed.ts";
import { Limits, Standing } from "./header.tsx";
import { History } from "./history.tsx";
import { Ideas } from "./ideas.tsx";
import { Question } from "./question.tsx";
import { Runs } from "./runs.tsx";
import { Steps } from "./steps.tsx";
import { Tasks } from "./tasks.tsx";
import { Tests } from "./tests.tsx";

/** One loop, as it stands and as it goes on. */
export function LoopPage({ id, tab }: { id: string; tab: string }) {
  const loop = useLoop(id);
  const { progress, gone } = loop;
  const title = progress?.state.title ?? id;
  useEffect(() => {
    document.title = `${title} · CCW Loop`;
  }, [title]);
  if (progress === null) {
    return (
      <div className="loop">
        <Back />
        <h1>{id}</h1>
        <p role="status">{gone === null ? "The loop is being read." : gone}</p>
      </div>
    );
  }
  return <Opened loop={loop} progress={progress} tab={tab} />;
}

function Back() {
  return (
    <nav aria-label="Back">
      <Link to="">← All loops</Link>
    </nav>
  );
}

/** Parts of the page by the last word of its address. */
const TABS = [
  ["", "Now"],
  ["history", "History"],
  ["tests", "Tests"],
  ["changes", "Changes"],
] as const;

interface OpenedProps {
  loop: FollowedLoop;
  progress: Progress;
  tab: string;
}

function Opened({ loop, progress, tab }: OpenedProps) {
  const { state } = progress;
  const mayAct = !isReader(useStore(session));
  return (
    <div className="loop">
      <Back />
      <div className="title-row">
        <h1>{state.title}</h1>
        {mayAct && loop.gone === null && <Controls state={state} driver={loop.driver} />}
      </div>
      <Standing loop={loop} progress={progress} />
      {mayAct && asksPerson(state) && <Question key={`${state.waiting?.since}`} state={state} />}
      <nav className="tabs" aria-label="Parts of the loop">
        {TABS.map(([name, label]) => (
          <Link
            key={name}
            to={`loops/${encodeURIComponent(state.loop_id)}${name && `/${name}`}`}
            aria-current={tab === name ? "page" : undefined}
          >
            {label}
          </Link>
        ))}
        <Link to={`compare?a=${encodeURIComponent(state.loop_id)}`}>Compare</Link>
      </nav>
      {tab === "" && <Now loop={loop} progress={progress} mayAct={mayAct} />}
      {tab === "changes" && <Changes state={state} />}
      {(tab === "history" || tab === "tests") && (
        <Past progress={progress} tab={tab} mayAct={mayAct} />
      )}
    </div>
  );
}

function Now({ loop, progress, mayAct }: Omit<OpenedProps, "tab"> & { mayAct: boolean }) {
  const { state } = progress;
  return (
    <div className="panels">
      <div className="column">
        <Steps progress={progress} />
        <Tasks state={state} mayAct={mayAct} />
        <Limits state={state} />
      </div>
      <div className="column">
        <Tests progress={progress} />
        <Ideas state={state} />
      </div>
      <AgentLog log={loop.log} running={state.status === "running"} />
    </div>
  );
}

interface PastProps {
  progress: Progress;
  tab: "history" | "tests";
  mayAct: boolean;
}

function Past({ progress: { state, steps }, tab, mayAct }: PastProps) {
  const ended = steps.filter(({ status }) => status !== "running").length;
  const past = usePast(state.loop_id, ended + (state.checkpoints?.length ?? 0));
  if (past === null) return <p role="status">The history is being read.</p>;
  if (tab === "tests") return <Runs grid={past.grid} />;
  return <History state={state} past={past} mayAct={mayAct} />;
}
