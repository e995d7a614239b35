import type { LiveEvent } from "@ccw-loop/core";
import { applyEvent, logEntryOf, type Progress, waitWord } from "@ccw-loop/view";
import { type Instance, render } from "ink";
import { createElement } from "react";
import { type Line, line, span, textOf } from "../components/line.ts";
import type { Terminal } from "../effects/terminal.ts";
import type { KeyPress } from "../keys/keys.ts";
import { type Message, type Model, topScreen, withStoppedClock } from "../model/model.ts";
import { busyText } from "../model/pending.ts";
import { firstKey, GLOBAL_BINDINGS } from "../screens/bindings.ts";
import { screenOf } from "../screens/screens.ts";
import { Keys } from "./keyboard.ts";
import type { Program, Renderer } from "./program.ts";
import { painted, type Theme } from "./theme.ts";
import { changedLines, nothingSpoken, spokenUpTo, unspokenLines } from "./unspoken.ts";

/** Keys that say everything again where they do nothing else. */
const AGAIN: ReadonlySet<string> = new Set(["enter", "space"]);

/** Messages behind which a screen may have more to say. */
const NEWS: ReadonlySet<Message["type"]> = new Set(["listed", "opened", "unopened", "answered"]);

/** New lines of the agent are told so often. */
const AGENT_MS = 1000;

/** What a person typed is told once they stop for so long. */
const TYPED_MS = 300;

/**
 * The model as lines for a screen reader: a screen whole when it opens, then only what is new. Nothing on the terminal
 * is ever changed again.
 */
export class Lines implements Renderer {
  readonly #program: Program;
  readonly #theme: Theme;
  #write: (text: string) => void = () => undefined;
  #ink: Instance | undefined;
  #terminal: Terminal | undefined;
  /** The lines of the top screen and its keys, as they were told. */
  #told: readonly Line[] = [];
  #keys = "";
  #typing: NodeJS.Timeout | undefined;
  #heard = nothingSpoken;
  #listening: NodeJS.Timeout | undefined;

  constructor(program: Program, theme: Theme) {
    this.#program = program;
    this.#theme = theme;
  }

  open({ stdin, stdout, stderr }: Terminal): void {
    const terminal = { stdin, stdout, stderr };
    this.#write = (text) => void stdout.write(text);
    this.#say(line(`CCW Loop, ${this.#program.model.place.name}`, "strong"));
    this.#whole();
    this.#listen(terminal);
  }

  /** Takes the keys. */
  #listen(terminal: Terminal): void {
    this.#terminal = terminal;
    const keys = createElement(Keys, {
      pressed: (presses) => this.#pressed(presses),
      pasted: (text) => this.#program.send({ type: "pasted", text }),
    });
    const own = { interactive: false, exitOnCtrlC: false, patchConsole: false };
    this.#ink = render(keys, { ...terminal, ...own });
  }

  async suspended<T>(work: () => Promise<T>): Promise<T> {
    const terminal = this.#terminal;
    this.#ink?.unmount();
    try {
      return await work();
    } finally {
      // It may be closed meanwhile.
      if (terminal && this.#ink) this.#listen(terminal);
    }
  }

  shown(message: Message, before: Model, after: Model): void {
    if (after.notice !== null && after.notice !== before.notice) {
      this.#say([span(after.notice.text, after.notice.tone)]);
    }
    if (after.link.state === "lost" && before.link.state === "live") {
      this.#say([span(`Not connected: ${after.link.reason}`, "bad")]);
    }
    if (after.pending.length > before.pending.length) this.#say(line(busyText(after), "name"));
    if (message.type === "happened") this.#happened(message, before);
    if (isOther(before, after)) this.#whole();
    else if (message.type === "key" || message.type === "pasted")
      this.#afterKey(message, before, after);
    else if (message.type === "changed") this.#change(message, before, after);
    else if (NEWS.has(message.type)) this.#new();
  }

  freeze(): void {
    clearTimeout(this.#typing);
    clearTimeout(this.#listening);
    this.#write = () => undefined;
  }

  close(): void {
    this.freeze();
    this.#ink?.unmount();
    this.#ink = undefined;
  }

  #pressed(presses: readonly KeyPress[]): void {
    for (const press of presses) this.#program.send({ type: "key", press });
  }

  #afterKey(message: Message, before: Model, after: Model): void {
    const key = message.type === "key" ? message.press.key : "";
    if (AGAIN.has(key) && before.stack === after.stack) {
      this.#whole();
      return;
    }
    clearTimeout(this.#typing);
    // A key that types is one of many.
    const typed = message.type === "key" && message.press.text !== "";
    this.#typing = setTimeout(() => this.#program.guard(() => this.#new()), typed ? TYPED_MS : 0);
  }

  /** The top screen from its beginning, and its keys. */
  #whole(): void {
    clearTimeout(this.#typing);
    const { model } = this.#program;
    const top = topScreen(model);
    this.#told = this.#lines();
    const { opened } = model;
    this.#heard = opened ? spokenUpTo(opened.log) : nothingSpoken;
    this.#say(line(screenOf(top).title(top, model), "strong"));
    for (const of of this.#told) this.#tell(of);
    this.#keys = "";
    this.#sayKeys();
  }

  /** Lines of the top screen that say something that was not told last. */
  #new(): void {
    this.#agent();
    const before = [...this.#told, ...this.#heard.lines];
    this.#told = this.#lines();
    for (const of of changedLines(this.#told, before)) this.#tell(of);
    this.#sayKeys();
  }

  #sayKeys(): void {
    const keys = keysLine(this.#program.model);
    const isNew = textOf(keys) !== this.#keys;
    this.#keys = textOf(keys);
    if (isNew) this.#say(keys);
  }

  #lines(): readonly Line[] {
    const { model } = this.#program;
    const top = topScreen(model);
    return screenOf(top).plain(top, withStoppedClock(model));
  }

  /** Facts, and what the agent does: in full where its output is read, elsewhere in short. */
  #happened({ events }: Extract<Message, { type: "happened" }>, { opened }: Model): void {
    const reads = this.#reads();
    if (reads) {
      this.#listening ??= setTimeout(() => {
        this.#listening = undefined;
        this.#program.guard(() => this.#agent());
      }, AGENT_MS);
    }
    let progress: Progress | null = opened?.progress ?? null;
    for (const event of events) {
      if (progress === null) return;
      progress = applyEvent(progress, event);
      const fact = reads && event.kind === "activity" ? undefined : logEntryOf(event, progress);
      if (!fact) continue;
      // What an action says comes behind its beginning and before its end.
      if (!begins(event)) this.#agent();
      this.#say([span(fact.text, fact.tone)]);
    }
  }

  #reads(): boolean {
    return topScreen(this.#program.model).kind === "loop";
  }

  /** What the agent said since, where its output is read. */
  #agent(): void {
    const { opened } = this.#program.model;
    if (!opened || !this.#reads()) return;
    for (const of of unspokenLines(opened.log, this.#heard)) this.#tell(of);
    this.#heard = spokenUpTo(opened.log);
  }

  /** Of the loop that is followed its facts tell more. */
  #change(message: Extract<Message, { type: "changed" }>, before: Model, after: Model): void {
    for (const id of new Set(message.changes.map((change) => change.id))) {
      const [was, is] = [before.loops.rows.get(id), after.loops.rows.get(id)];
      if (is === undefined || after.opened?.id === id) continue;
      if (was?.status === is.status && was.waits === is.waits) continue;
      this.#say(line(`${is.title}: ${waitWord(is)}`));
    }
  }

  #say(of: Line): void {
    if (textOf(of) !== "") this.#tell(of);
  }

  #tell(of: Line): void {
    this.#write(`${painted(of, this.#theme)}\n`);
  }
}

function begins(event: LiveEvent): boolean {
  return event.kind === "recorded" && event.recorded.event.type === "action.started";
}

function isOther(before: Model, after: Model): boolean {
  return (
    before.stack.length !== after.stack.length || topScreen(before).kind !== topScreen(after).kind
  );
}

function keysLine(model: Model): Line {
  const top = topScreen(model);
  const bindings = [...screenOf(top).bindings(top, model), ...GLOBAL_BINDINGS];
  const words = bindings
    .filter(({ footer }) => footer !== false)
    .map((binding) => `${firstKey(binding.id, model.keys)} ${binding.label}`);
  return line(`Keys: ${words.join(", ")}`, "quiet");
}
