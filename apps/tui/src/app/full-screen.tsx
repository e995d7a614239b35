import { type Instance, render } from "ink";
import { Component, type ReactElement, type ReactNode } from "react";
import { Pointables, PointerContext } from "../components/pointer.tsx";
import { type Terminal, withMouse } from "../effects/terminal.ts";
import type { KeyPress } from "../keys/keys.ts";
import { MOUSE_OFF, MOUSE_ON, type Mouse } from "../keys/mouse.ts";
import type { Message, Model } from "../model/model.ts";
import { findBinding, QUIT } from "../screens/bindings.ts";
import { Frame, isTooSmall } from "./frame.tsx";
import { type Keyboard, Keys, type Suspend } from "./keyboard.ts";
import type { Program, Renderer } from "./program.ts";
import type { Theme } from "./theme.ts";

/** So many frames in a second at most. */
const FPS = 30;

/** A row that the terminal takes for wider than we do is cut there: on a second line it would push the frame down. */
const CUT_ROWS = "\u001B[?7l";
const WRAP_ROWS = "\u001B[?7h";

/** What a person waits for. */
const URGENT: ReadonlySet<Message["type"]> = new Set(["key", "pasted", "pointed", "resized"]);

/** The model as frames on the alternate screen of a terminal. */
export class Frames implements Renderer {
  readonly #program: Program;
  readonly #theme: Theme;
  readonly #pace = new FrameThrottle();
  readonly #keyboard: Keyboard;
  /** What the mouse finds; null where it is left to the terminal. */
  readonly #pointables: Pointables | null;
  readonly #modes: { on: string; off: string };
  /** What Ink took for drawing since the frame under way was begun, and what React took for the last one. */
  #drawing = 0;
  #building = 0;
  #ink: Instance | undefined;
  #suspend: Suspend | undefined;
  #write: (sequence: string) => void = () => undefined;
  #soon: NodeJS.Timeout | undefined;
  #frozen = false;
  /** Keys that came in one piece are shown together: a pasted page would be thousands of frames. */
  #isReading = false;

  /** With `mouse`, clicks and the wheel come to the screens. */
  constructor(program: Program, theme: Theme, { mouse = false } = {}) {
    this.#program = program;
    this.#theme = theme;
    this.#pointables = mouse ? new Pointables() : null;
    this.#modes = mouse
      ? { on: CUT_ROWS + MOUSE_ON, off: MOUSE_OFF + WRAP_ROWS }
      : { on: CUT_ROWS, off: WRAP_ROWS };
    this.#keyboard = {
      pressed: (presses) => this.#pressed(presses),
      pasted: (text) => this.#pasted(text),
      opened: (suspend) => {
        this.#suspend = suspend;
      },
    };
  }

  /** Takes the terminal. */
  open({ stdin, stdout, stderr }: Terminal): void {
    this.#write = (sequence) => void stdout.write(sequence);
    const input = this.#pointables ? withMouse(stdin, (report) => this.#pointed(report)) : stdin;
    this.#ink = render(this.#frame(), {
      stdin: input,
      stdout,
      stderr,
      interactive: true,
      alternateScreen: true,
      incrementalRendering: true,
      exitOnCtrlC: false,
      patchConsole: false,
      isScreenReaderEnabled: false,
      maxFps: FPS,
      onRender: ({ renderTime }) => {
        this.#drawing += renderTime;
        this.#pace.drew(performance.now(), this.#building + renderTime);
      },
    });
    this.#write(this.#modes.on);
  }

  shown({ type }: Message, before: Model, after: Model): void {
    if (before === after) return;
    if (URGENT.has(type) && !this.#isReading) this.#now();
    else this.#soon ??= setTimeout(() => this.#drawn(), this.#pace.wait(performance.now()));
  }

  async suspended<T>(work: () => Promise<T>): Promise<T> {
    this.#write(this.#modes.off);
    await using _ = await this.#suspend?.();
    try {
      return await work();
    } finally {
      this.#write(this.#modes.on);
    }
  }

  /** Shows nothing more: nobody looks any more. */
  freeze(): void {
    this.#frozen = true;
    clearTimeout(this.#soon);
  }

  /** Gives the terminal back as it was. */
  close(): void {
    this.freeze();
    if (this.#ink === undefined) return;
    this.#ink.unmount();
    this.#ink = undefined;
    this.#write(this.#modes.off);
  }

  #pressed(presses: readonly KeyPress[]): void {
    this.#isReading = true;
    for (const press of presses) {
      if (this.#isSeen(press)) this.#program.send({ type: "key", press });
    }
    this.#isReading = false;
    this.#drawn();
  }

  #pasted(text: string): void {
    if (!isTooSmall(this.#program.model.size)) this.#program.send({ type: "pasted", text });
  }

  #pointed(mouse: Mouse): void {
    if (isTooSmall(this.#program.model.size)) return;
    const spot = this.#pointables?.at(mouse);
    this.#program.send({ type: "pointed", kind: mouse.kind, spot });
  }

  /** Where nothing is shown, a key could stop a loop unseen: it may only leave. */
  #isSeen({ key }: KeyPress): boolean {
    const { size, keys } = this.#program.model;
    return !isTooSmall(size) || findBinding([QUIT], key, keys) !== undefined;
  }

  /** Draws outside of a message. */
  #drawn(): void {
    this.#program.guard(() => this.#now());
  }

  #now(): void {
    if (this.#frozen) return;
    clearTimeout(this.#soon);
    this.#soon = undefined;
    const begun = performance.now();
    this.#drawing = 0;
    this.#ink?.rerender(this.#frame());
    this.#building = performance.now() - begun - this.#drawing;
    // Ink would wait for its next frame.
    void this.#ink?.waitUntilRenderFlush();
  }

  #frame(): ReactElement {
    return (
      <Guard crashed={(error) => this.#program.crash(error)}>
        <Keys {...this.#keyboard} />
        <PointerContext value={this.#pointables}>
          <Frame model={this.#program.model} theme={this.#theme} />
        </PointerContext>
      </Guard>
    );
  }
}

/** Ends the program with what a component throws. */
class Guard extends Component<{ crashed: (error: unknown) => void; children: ReactNode }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch(error: unknown) {
    this.props.crashed(error);
  }

  override render() {
    return this.state.failed ? null : this.props.children;
  }
}

const FASTEST_MS = 100;
const SLOWEST_MS = 500;

/** A frame may take one part of so many of the time until the next one. */
const PARTS = 24;

/** How often what the loops do is drawn: as often as it is cheap. What a person does is drawn at once. */
export class FrameThrottle {
  #cost = 0;
  #drawn = Number.NEGATIVE_INFINITY;

  /** A frame was drawn, and took `ms`. */
  drew(now: number, ms: number): void {
    this.#drawn = now;
    this.#cost = this.#cost === 0 ? ms : 0.8 * this.#cost + 0.2 * ms;
  }

  /** For so long the next frame has to wait, in ms. */
  wait(now: number): number {
    const apart = Math.min(SLOWEST_MS, Math.max(FASTEST_MS, PARTS * this.#cost));
    return Math.max(0, this.#drawn + apart - now);
  }
}
