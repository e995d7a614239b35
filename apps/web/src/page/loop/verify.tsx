import type { ReceiptCheck } from "@ccw-loop/core";
import { checkProblems, checkSentence } from "@ccw-loop/view";
import { useState } from "react";
import { Dialog } from "../parts/dialog.tsx";
import { loops } from "../parts/server.ts";

const EFFECTS = [
  "The seal is checked, and the four runs of the proof are made again in clean rooms. It takes as long as the tests take.",
  "The loop and the project's files stay as they are.",
];

/** Has the newest receipt checked, and says whether it stands. */
export function Verify({ id }: { id: string }) {
  const [isOpen, setOpen] = useState(false);
  const [check, setCheck] = useState<ReceiptCheck | null>(null);
  const [tone, sentence] = check === null ? [] : checkSentence(`loop ${id}`, check);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Verify
      </button>
      <div role="status">
        {check !== null && (
          <>
            <p className={tone}>{sentence}</p>
            <ul className="lines">
              {checkProblems(check).map(({ text, details }) => (
                <li key={text}>
                  {text} {details.join("; ")}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
      {isOpen && (
        <Dialog
          title="Verify the receipt?"
          effects={EFFECTS}
          verb="Verify"
          act={async () => setCheck(await loops.verify(id))}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
