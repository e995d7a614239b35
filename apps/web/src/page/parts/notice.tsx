import { toLoopError } from "@ccw-loop/core";
import type { Tone } from "@ccw-loop/view";
import { Store, useStore } from "./store.ts";

/** What came of the last thing that was done, in a line. */
const notice = new Store<{ tone: Tone; text: string } | null>(null);

let timer: ReturnType<typeof setTimeout> | undefined;
const SHOWN_MS = 12_000;

export function tell(tone: Tone, text: string): void {
  notice.set({ tone, text });
  clearTimeout(timer);
  timer = setTimeout(() => notice.set(null), SHOWN_MS);
}

export function tellError(error: unknown): void {
  tell("bad", toLoopError(error).message);
}

/** Stands below everything else; a screen reader reads what appears in it. */
export function Notice() {
  const said = useStore(notice);
  return (
    <div className="notice" role="status">
      {said && (
        <p className={`toast ${said.tone}`}>
          {said.text}
          <button type="button" className="ghost" onClick={() => notice.set(null)}>
            Close
          </button>
        </p>
      )}
    </div>
  );
}
