import { toLoopError } from "@ccw-loop/core";
import {
  agentForm,
  fieldProblem,
  NEW_LOOP_FIELDS,
  NEW_LOOP_FORM,
  type NewLoopField,
  type NewLoopTexts,
  newLoopOf,
  newLoopTexts,
} from "@ccw-loop/view";
import { type SubmitEvent, useEffect, useState } from "react";
import { tell } from "../parts/notice.tsx";
import { Panel } from "../parts/panel.tsx";
import { goTo, Link } from "../parts/router.tsx";
import { host, loops } from "../parts/server.ts";

type Project = Awaited<ReturnType<typeof host.project>>;

/** Fields that most loops leave as they are. */
const FURTHER: readonly NewLoopField[] = [
  ...(["model", "max_iterations", "max_duration", "max_tokens", "max_cost", "tags"] as const),
];

/** How often it is asked for the agent that can work there, while the server looks for one. */
const AGENT_MS = 2000;

/** Makes a loop: says what was found in the project, and what each field means. */
export function NewLoop() {
  const [project, setProject] = useState<Project | null>(null);
  const [texts, setTexts] = useState<NewLoopTexts>(() =>
    newLoopTexts({ settings: { mode: "auto" } }),
  );
  const [tried, setTried] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    document.title = "New loop · CCW Loop";
    let isLeft = false;
    const look = async (): Promise<void> => {
      const found = await host.project();
      if (isLeft) return;
      const { agent } = found;
      setProject(found);
      if (agent === null && found.agents.length > 0)
        return void setTimeout(() => void look(), AGENT_MS);
      // What somebody typed meanwhile stays.
      setTexts((texts) => ({ ...texts, agent: texts.agent || (agent ?? "") }));
    };
    look().catch((error) => setRefused(toLoopError(error).message));
    return () => {
      isLeft = true;
    };
  }, []);
  const agents = project && project.agents.length > 0 ? project.agents.map(withoutGaps) : null;
  const problemOf = (name: NewLoopField) => fieldProblem(texts, name, agents);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setTried(true);
    const wrong = NEW_LOOP_FIELDS.find((name) => problemOf(name) !== undefined);
    if (wrong !== undefined) return document.getElementById(`new-${wrong}`)?.focus();
    setBusy(true);
    setRefused(null);
    try {
      const { loop_id: id } = await loops.create(newLoopOf(texts));
      goTo(`loops/${encodeURIComponent(id)}`);
      if (texts.start === "yes") await loops.send(id, { type: "start" });
      tell("good", texts.start === "yes" ? "The loop is made and started." : "The loop is made.");
    } catch (error) {
      setRefused(toLoopError(error).message);
      setBusy(false);
    }
  };
  const field = (name: NewLoopField) => (
    <Field
      key={name}
      name={name}
      value={texts[name]}
      agents={agents}
      problem={tried || texts[name] !== "" ? problemOf(name) : undefined}
      onChange={(text) => {
        setRefused(null);
        setTexts({ ...texts, [name]: text });
      }}
    />
  );
  return (
    <div className="new">
      <nav aria-label="Back">
        <Link to="">← All loops</Link>
      </nav>
      <h1>New loop</h1>
      <form onSubmit={submit} noValidate>
        {(["task", "title", "agent", "mode", "verify"] as const).map(field)}
        <Found project={project} />
        {(["worktree", "start"] as const).map(field)}
        <details>
          <summary>Bounds, model and tags</summary>
          {FURTHER.map(field)}
        </details>
        <p className="bad" role="alert">
          {refused}
        </p>
        <button type="submit" className="primary" disabled={busy}>
          {busy ? "One moment…" : texts.start === "yes" ? "Make and start it" : "Make it"}
        </button>
      </form>
    </div>
  );
}

function withoutGaps({ name, argument, describe }: Project["agents"][number]) {
  return argument === undefined ? { name, describe } : { name, argument, describe };
}

/** The tests that were found: what will prove the work when nobody names a command. */
function Found({ project }: { project: Project | null }) {
  if (project === null) return <p role="status">The project is looked at.</p>;
  if (project.tests === null) return null;
  return (
    <Panel title="Tests that were found" note={`${project.tests.length}`}>
      {project.tests.length === 0 && (
        <p className="warning">
          No test command was found. Name one above, or the loop asks for it.
        </p>
      )}
      <ul className="lines">
        {project.tests.map(({ command, source, report }) => (
          <li key={`${source} ${command}`}>
            <code>{command}</code>{" "}
            <span className="quiet">
              from {source}, {report}
            </span>
          </li>
        ))}
        {project.missing.map((text) => (
          <li key={text} className="warning">
            {text}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

interface FieldProps {
  name: NewLoopField;
  value: string;
  agents: Parameters<typeof fieldProblem>[2];
  problem: string | undefined;
  onChange: (text: string) => void;
}

function Field({ name, value, agents, problem, onChange }: FieldProps) {
  const { label, hint, about, choices } = NEW_LOOP_FORM[name];
  const id = `new-${name}`;
  const described = { "aria-describedby": `${id}-about`, "aria-invalid": problem !== undefined };
  const typed = { id, value, placeholder: hint, autoComplete: "off", ...described };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {choices ? (
        <select id={id} value={value} onChange={(e) => onChange(e.target.value)} {...described}>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : name === "task" ? (
        <textarea {...typed} rows={4} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <input {...typed} list={`${id}-list`} onChange={(event) => onChange(event.target.value)} />
      )}
      {name === "agent" && agents !== null && (
        <datalist id={`${id}-list`}>
          {agents.map((one) => (
            <option key={one.name} value={one.argument ? `${one.name}:` : one.name}>
              {agentForm(one)}: {one.describe}
            </option>
          ))}
        </datalist>
      )}
      <p id={`${id}-about`} className={problem === undefined ? "quiet" : "bad"}>
        {problem ?? about}
      </p>
    </div>
  );
}
