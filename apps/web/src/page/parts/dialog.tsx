import { toLoopError } from "@ccw-loop/core";
import { type ReactNode, type SubmitEvent, useEffect, useId, useRef, useState } from "react";

interface Question {
  title: string;
  /** What will happen, each a paragraph. */
  effects: readonly string[];
  /** What the button does, in a word or two. */
  verb: string;
  danger?: boolean;
  act: () => Promise<unknown>;
  onClose: () => void;
  children?: ReactNode;
}

/** Says what will happen and does it once that is confirmed; stays open with the reason when it is refused. */
export function Dialog({ title, effects, verb, danger, act, onClose, children }: Question) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setRefused(null);
    try {
      await act();
      dialog.current?.close();
    } catch (error) {
      setRefused(toLoopError(error).message);
      setBusy(false);
    }
  };
  return (
    <dialog ref={dialog} aria-labelledby={heading} onClose={onClose}>
      <form className="reply" onSubmit={submit}>
        <h2 id={heading}>{title}</h2>
        {effects.map((text) => (
          <p key={text}>{text}</p>
        ))}
        {children}
        <p className="bad" role="alert">
          {refused}
        </p>
        <div className="actions">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" className={danger ? "danger" : "primary"} disabled={busy}>
            {busy ? "One moment…" : verb}
          </button>
        </div>
      </form>
    </dialog>
  );
}
