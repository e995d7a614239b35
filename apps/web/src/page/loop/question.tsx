import {
  commandOf,
  type LoopCommand,
  type LoopState,
  menuOf,
  toLoopError,
  type Waiting,
} from "@ccw-loop/core";
import { answerOf, answerText, questionTitle, refusalOf, textFor } from "@ccw-loop/view";
import { type SubmitEvent, useId, useState } from "react";
import { command } from "./feed.ts";

interface Choice {
  value: string;
  label: string;
  available: boolean;
}

/** What the loop asks a person, with nothing chosen beforehand. */
export function Question({ state }: { state: LoopState }) {
  const { waiting } = state;
  if (waiting === undefined) return null;
  const choices = waiting.menu ? menuChoices(state) : optionChoices(state);
  const title = waiting.menu ? "What next?" : questionTitle(waiting);
  const text = waiting.menu
    ? menuOf(state).summary.join(" · ")
    : (waiting.prompt ?? `The loop waits for ${waiting.kind}.`);
  return (
    <section className="question" aria-label={title}>
      <h2>{title}</h2>
      <p className="prompt">{text}</p>
      <Reply state={state} choices={choices} />
    </section>
  );
}

function menuChoices(state: LoopState): Choice[] {
  return menuOf(state)
    .options.filter(({ key }) => key !== "status")
    .map(({ key, label, hint, available }) => ({
      value: key,
      label: `${label}: ${hint}`,
      available,
    }));
}

function optionChoices({ waiting }: LoopState): Choice[] {
  const { options = [] } = waiting ?? {};
  return options.map((value) => ({
    value,
    label: waiting ? answerText(value, waiting) : value,
    available: true,
  }));
}

type MenuKey = Parameters<typeof commandOf>[0];

/** What the form asks of the loop as it is filled in; null for nothing. */
function askedBy(waiting: Waiting, picked: string | undefined, text: string): LoopCommand | null {
  if (!waiting.menu) return answerOf(waiting, picked, text);
  return picked === undefined ? null : commandOf(picked as MenuKey);
}

function Reply({ state, choices }: { state: LoopState; choices: Choice[] }) {
  const id = useId();
  const [picked, setPicked] = useState<string>();
  const [text, setText] = useState("");
  const [refused, setRefused] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const { waiting } = state;
  if (waiting === undefined) return null;
  const wanted =
    choices.length === 0
      ? "Your answer"
      : picked === undefined
        ? undefined
        : textFor(picked, waiting);
  const isMissing = choices.length > 0 && picked === undefined;
  const asked = askedBy(waiting, picked, text.trim());
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const problem =
      isMissing || (wanted !== undefined && text === "")
        ? "Choose or write an answer first."
        : asked && refusalOf(state, asked);
    setRefused(problem);
    if (problem !== null || asked === null) return;
    setBusy(true);
    try {
      // Bound to the state that was looked at: another question is not answered by this.
      await command(state.loop_id, asked, state.revision);
    } catch (error) {
      setRefused(toLoopError(error).message);
      setBusy(false);
    }
  };
  return (
    <form className="reply" onSubmit={submit}>
      {choices.length > 0 && (
        <fieldset>
          <legend className="unseen">Your answer</legend>
          {choices.map(({ value, label, available }) => (
            <label key={value} className="choice">
              <input
                type="radio"
                name={`${id}-choice`}
                value={value}
                disabled={!available}
                checked={picked === value}
                onChange={() => setPicked(value)}
              />
              <span>
                {label}
                {!available && " (not now)"}
              </span>
            </label>
          ))}
        </fieldset>
      )}
      {wanted !== undefined && (
        <>
          <label htmlFor={id}>{wanted}</label>
          <textarea
            id={id}
            rows={2}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </>
      )}
      <p className="bad" role="alert">
        {refused}
      </p>
      <button type="submit" className="primary" disabled={busy}>
        {busy ? "One moment…" : "Answer"}
      </button>
    </form>
  );
}
