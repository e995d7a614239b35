import { isLoopError, type LoopService, toLoopError } from "@ccw-loop/core";
import type { Message } from "../model/model.ts";

type Service = Pick<LoopService, "get" | "run" | "send">;

interface Drive {
  release: AbortController;
  ended: Promise<void>;
  /** Somebody wants it to go on after the stop that it is coming to; resolves when that is on record. */
  again: Promise<void> | null;
}

/** The loops that this process drives: those that were started or resumed from its screens, and no others. */
export class LocalDriver {
  readonly #service: Service;
  readonly #send: (message: Message) => void;
  readonly #drives = new Map<string, Drive>();
  #leaving = false;

  constructor(service: Service, send: (message: Message) => void) {
    this.#service = service;
    this.#send = send;
  }

  /** Goes on with a loop until it ends, pauses or waits for a person. */
  begin(id: string): void {
    const known = this.#drives.get(id);
    if (known) known.again = recordStart(this.#service, id, this.#send);
    if (known || this.#leaving) return;
    const release = new AbortController();
    const drive: Drive = { release, again: null, ended: Promise.resolve() };
    this.#drives.set(id, drive);
    drive.ended = this.#whole(id, drive);
    this.#tell();
  }

  /** Resolves when no loop is driven here any more: paused, or left running for whoever drives next. */
  async end(driven: "pause" | "release"): Promise<void> {
    this.#leaving = true;
    const drives = [...this.#drives];
    await Promise.all(
      drives.map(async ([id, { release, ended }]) => {
        if (driven === "release") release.abort("left for the next supervisor");
        else await this.#paused(id);
        await ended;
      }),
    );
  }

  async #whole(id: string, drive: Drive): Promise<void> {
    const { signal } = drive.release;
    try {
      do {
        drive.again = null;
        await this.#service.run(id, { signal, onAbort: "release", waitForLimits: true });
        await drive.again;
      } while (
        drive.again !== null &&
        !signal.aborted &&
        !this.#leaving &&
        (await this.#goesOn(id))
      );
    } catch (error) {
      if (!signal.aborted) this.#complain(error);
    } finally {
      this.#drives.delete(id);
      this.#tell();
    }
  }

  async #goesOn(id: string): Promise<boolean> {
    const { status, waiting } = await this.#service.get(id);
    return status === "running" && waiting === undefined;
  }

  /** A loop that has come to rest meanwhile needs no pause. */
  async #paused(id: string): Promise<void> {
    try {
      await this.#service.send(id, { type: "pause", reason: "the terminal was left" });
    } catch (error) {
      if (!isLoopError(error, "invalid_transition", "loop_not_found")) {
        this.#drives.get(id)?.release.abort("left for the next supervisor");
      }
    }
  }

  #complain(error: unknown): void {
    const tone = isLoopError(error, "loop_busy", "workspace_busy") ? "warning" : "bad";
    this.#send({ type: "told", notice: { tone, text: toLoopError(error).message } });
  }

  #tell(): void {
    this.#send({ type: "driving", ids: [...this.#drives.keys()] });
  }
}

/** Records that a loop is to go on; whoever drives it, or its server, takes it up. */
export async function recordStart(
  service: Service,
  id: string,
  send: (message: Message) => void,
): Promise<void> {
  try {
    const { status } = await service.get(id);
    if (status === "running") return;
    await service.send(id, { type: status === "created" ? "start" : "resume" });
  } catch (error) {
    send({ type: "told", notice: { tone: "bad", text: toLoopError(error).message } });
  }
}
