import type { Driver, LoopCommand, LoopState } from "@ccw-loop/core";
import { accepts, CONTROL_EFFECTS, reopenEffects, reopening, turnRuns } from "@ccw-loop/view";
import { useId, useState } from "react";
import { Dialog } from "../parts/dialog.tsx";
import { tell } from "../parts/notice.tsx";
import { loops } from "../parts/server.ts";
import { command } from "./feed.ts";

interface Control {
  name: keyof typeof CONTROL_EFFECTS;
  label: string;
  /** Undefined for what is no command, such as a line to the agent. */
  asks?: LoopCommand | ((state: LoopState) => LoopCommand);
  look?: "primary" | "danger";
}

const CONTROLS: readonly Control[] = [
  { name: "start", label: "Start", asks: { type: "start" }, look: "primary" },
  { name: "resume", label: "Resume", asks: { type: "resume" }, look: "primary" },
  { name: "retry", label: "Retry now", asks: { type: "resume", now: true } },
  { name: "pause", label: "Pause", asks: { type: "pause" } },
  { name: "steer", label: "Steer" },
  { name: "reopen", label: "Reopen", asks: reopening },
  { name: "stop", label: "Stop", asks: { type: "stop" }, look: "danger" },
];

/** What makes sense as the loop stands: what it would refuse has no button. */
function offered(state: LoopState, driver: Driver | undefined): Control[] {
  return CONTROLS.filter(({ name, asks }) => {
    if (asks === undefined) return turnRuns(state) && (driver?.undriven_since ?? null) === null;
    if (!accepts(state, commandFor(asks, state))) return false;
    // Of a loop that rests both are no more than a resume.
    if (name === "retry") return state.status === "running";
    if (name === "reopen" || name === "start") return !accepts(state, { type: "resume" });
    return name !== "resume" || state.status !== "running";
  });
}

function commandFor(asks: NonNullable<Control["asks"]>, state: LoopState): LoopCommand {
  return typeof asks === "function" ? asks(state) : asks;
}

/** The buttons that steer a loop; each says what will happen before it does. */
export function Controls({ state, driver }: { state: LoopState; driver: Driver | undefined }) {
  const [open, setOpen] = useState<Control | null>(null);
  const close = () => setOpen(null);
  return (
    <div className="controls">
      {offered(state, driver).map((control) => (
        <button
          key={control.name}
          type="button"
          className={control.look ?? ""}
          onClick={() => setOpen(control)}
        >
          {control.label}
        </button>
      ))}
      {open?.asks === undefined ? (
        open && <Steer state={state} onClose={close} />
      ) : (
        <Confirm key={open.name} control={open} asks={open.asks} state={state} onClose={close} />
      )}
    </div>
  );
}

interface ConfirmProps {
  control: Control;
  asks: NonNullable<Control["asks"]>;
  state: LoopState;
  onClose: () => void;
}

function Confirm({ control, asks, state, onClose }: ConfirmProps) {
  return (
    <Dialog
      title={`${control.label} "${state.title}"?`}
      effects={control.name === "reopen" ? reopenEffects(state) : CONTROL_EFFECTS[control.name]}
      verb={control.label}
      danger={control.look === "danger"}
      act={() => command(state.loop_id, commandFor(asks, state))}
      onClose={onClose}
    />
  );
}

function Steer({ state, onClose }: { state: LoopState; onClose: () => void }) {
  const id = useId();
  const [text, setText] = useState("");
  const act = async () => {
    await loops.steer(state.loop_id, text.trim());
    tell("good", "The agent was told.");
  };
  return (
    <Dialog
      title="Tell the agent"
      effects={CONTROL_EFFECTS.steer}
      verb="Tell it"
      act={act}
      onClose={onClose}
    >
      <label htmlFor={id}>What to mind</label>
      <textarea
        id={id}
        required
        rows={3}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </Dialog>
  );
}
