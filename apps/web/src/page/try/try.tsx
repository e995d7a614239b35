import { errorText } from "@ccw-loop/core";
import { type SubmitEvent, useEffect, useId, useState } from "react";
import { Panel, Scrolls } from "../parts/panel.tsx";
import { goTo, hrefOf, Link } from "../parts/router.tsx";
import { ask, isReader, session } from "../parts/server.ts";
import { useStore } from "../parts/store.ts";
import { addressOf, type Operation, readOperations } from "./document.ts";

/** Every operation of the API with a form that sends it, made of the server's own OpenAPI document. */
export default function Try({ query }: { query: URLSearchParams }) {
  const [operations, setOperations] = useState<Operation[] | string | null>(null);
  useEffect(() => {
    document.title = "Try the API · CCW Loop";
    readOperations().then(setOperations, (error: unknown) => setOperations(errorText(error)));
  }, []);
  const wanted = query.get("operation");
  return (
    <div className="loop">
      <nav aria-label="Back">
        <Link to="settings">← Settings</Link>
      </nav>
      <h1>Try the API</h1>
      <p className="quiet">
        Requests are real, and sent with the login of this browser. For programs:{" "}
        <a href={hrefOf("api/openapi.json")}>OpenAPI 3.1</a>.
      </p>
      {operations === null && <p role="status">The description is being read.</p>}
      {typeof operations === "string" && <p className="bad">{operations}</p>}
      {Array.isArray(operations) && <Chosen operations={operations} wanted={wanted} />}
    </div>
  );
}

interface ChosenProps {
  operations: readonly Operation[];
  wanted: string | null;
}

function Chosen({ operations, wanted }: ChosenProps) {
  const id = useId();
  const chosen = operations.find((one) => one.id === wanted) ?? operations[0];
  const topics = [...Map.groupBy(operations, ({ topic }) => topic)];
  return (
    <>
      <div className="field">
        <label htmlFor={id}>Operation</label>
        <select
          id={id}
          value={chosen?.id}
          onChange={(event) => goTo(`try?operation=${event.target.value}`, { replace: true })}
        >
          {topics.map(([topic, own]) => (
            <optgroup key={topic} label={topic}>
              {own.map(({ id: operation, method, path, summary }) => (
                <option key={operation} value={operation}>
                  {method} {path}: {summary}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </div>
      {chosen && <Form key={chosen.id} operation={chosen} />}
    </>
  );
}

/** Of an answer so much is shown. */
const SHOWN = 100_000;

interface Answered {
  line: string;
  headers: string[];
  text: string;
}

function Form({ operation }: { operation: Operation }) {
  const { method, path, description, parameters, answers, isStream } = operation;
  const [values, setValues] = useState<ReadonlyMap<string, string>>(() => new Map());
  const [body, setBody] = useState(operation.body);
  const [answered, setAnswered] = useState<Answered | string | null>(null);
  const [busy, setBusy] = useState(false);
  const mayOnlyLook = isReader(useStore(session)) && method !== "GET";
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setAnswered(await send(operation, values, body).catch(errorText));
    setBusy(false);
  };
  return (
    <>
      <Panel title={`${method} ${path}`}>
        {description !== undefined && (
          <p>
            <Coded text={description} />
          </p>
        )}
        <form className="reply" onSubmit={submit}>
          {parameters.map((parameter) => (
            <Parameter
              key={parameter.name}
              parameter={parameter}
              value={values.get(parameter.name) ?? ""}
              onChange={(value) => setValues(new Map(values).set(parameter.name, value))}
            />
          ))}
          {body !== undefined && <Body value={body} onChange={setBody} />}
          {isStream ? (
            <p className="quiet">
              It does not end, so it is not sent from here: <code>curl -N</code> shows it.
            </p>
          ) : (
            <div className="actions">
              <button
                type="submit"
                className={method === "DELETE" ? "danger" : "primary"}
                disabled={busy || mayOnlyLook}
              >
                {busy ? "One moment…" : "Send"}
              </button>
              {mayOnlyLook && <span className="quiet">This login may change nothing.</span>}
            </div>
          )}
        </form>
      </Panel>
      <div role="status">{answered !== null && <Answer answered={answered} />}</div>
      <Panel title="What it may answer">
        <dl className="answers">
          {answers.map(([status, text]) => (
            <div key={status}>
              <dt>{status}</dt>
              <dd>
                <Coded text={text} />
              </dd>
            </div>
          ))}
        </dl>
      </Panel>
    </>
  );
}

/** What stands between backticks is code. */
function Coded({ text }: { text: string }) {
  return text
    .split("`")
    .map((part, at) => (at % 2 === 0 ? part : <code key={`${at} ${part}`}>{part}</code>));
}

interface ParameterProps {
  parameter: Operation["parameters"][number];
  value: string;
  onChange: (value: string) => void;
}

function Parameter({ parameter, value, onChange }: ParameterProps) {
  const id = useId();
  const { name, required, description, example } = parameter;
  return (
    <div className="field">
      <label htmlFor={id}>
        {name}{" "}
        {description !== undefined && (
          <span className="quiet">
            <Coded text={description} />
          </span>
        )}
      </label>
      <input
        id={id}
        required={required}
        placeholder={example}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}

function Body({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>Body, as JSON</label>
      <textarea
        id={id}
        rows={8}
        className="code"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}

function Answer({ answered }: { answered: Answered | string }) {
  if (typeof answered === "string") return <p className="bad">{answered}</p>;
  return (
    <Panel title={`Answer: ${answered.line}`}>
      {answered.headers.map((line) => (
        <p key={line} className="quiet">
          <code>{line}</code>
        </p>
      ))}
      <Scrolls label="Body of the answer">
        <pre className="code">{answered.text}</pre>
      </Scrolls>
    </Panel>
  );
}

const TOLD = ["content-type", "etag", "location", "retry-after", "x-request-id"];

/** Sends it; throws what a person is to be told where nothing answers. */
async function send(
  operation: Operation,
  values: ReadonlyMap<string, string>,
  body: string | undefined,
): Promise<Answered> {
  const headers = new Headers(body === undefined ? {} : { "content-type": "application/json" });
  for (const { name, in: place } of operation.parameters) {
    const value = values.get(name) ?? "";
    if (place === "header" && value !== "") headers.set(name, value);
  }
  const { method } = operation;
  const init = { method, headers, ...(body === undefined ? {} : { body }) };
  const answer = await ask(new Request(addressOf(operation, values), init));
  const text = await answer.text();
  const isJson = answer.headers.get("content-type")?.includes("json") === true;
  return {
    line: `${answer.status} ${answer.statusText}`,
    headers: TOLD.flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [`${name}: ${value}`];
    }),
    text: (isJson ? pretty(text) : text).slice(0, SHOWN),
  };
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
