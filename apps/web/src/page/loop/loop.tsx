import { asksPerson, type FollowedLoop, type Progress } from "@ccw-loop/view";
import { useEffect } from "react";
import { Link } from "../parts/router.tsx";
import { isReader, session } from "../parts/server.ts";
import { useStore } from "../parts/store.ts";
import { AgentLog } from "./agent.tsx";
import { Controls } from "./controls.tsx";
import { useLoop } from "./feed.ts";
import { Limits, Standing } from "./header.tsx";
import { Question } from "./question.tsx";
import { Steps } from "./steps.tsx";
import { Tasks } from "./tasks.tsx";
import { Tests } from "./tests.tsx";

/** One loop, as it stands and as it goes on. */
export function LoopPage({ id }: { id: string; tab: string }) {
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
  return <Opened loop={loop} progress={progress} />;
}

function Back() {
  return (
    <nav aria-label="Back">
      <Link to="">← All loops</Link>
    </nav>
  );
}

function Opened({ loop, progress }: { loop: FollowedLoop; progress: Progress }) {
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
      <div className="panels">
        <div className="column">
          <Steps progress={progress} />
          <Tasks state={state} />
          <Limits state={state} />
        </div>
        <div className="column">
          <Tests progress={progress} />
        </div>
        <AgentLog log={loop.log} running={state.status === "running"} />
      </div>
    </div>
  );
}
