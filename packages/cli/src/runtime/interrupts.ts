import { constants } from "node:os";
import type { Io, SignalName } from "./io.ts";
import type { Ending } from "./perform.ts";

/** Exit code of a command that a signal ended: 130 for Ctrl-C. A reader that left is no failure. */
export function exitCodeFor(signal: SignalName): number {
  return signal === "SIGPIPE" ? 0 : 128 + constants.signals[signal];
}

/** What the signals of a person or a system do to one command. */
export interface Interrupts extends Disposable {
  /** Aborts with the first signal; its reason is a sentence. */
  readonly signal: AbortSignal;
  /** The first signal, when one came. */
  readonly first: SignalName | undefined;
  /** Resolves with the second signal: the caller ends at once. */
  readonly second: Promise<SignalName>;
  /** The exit code of the first signal; `otherwise` when none came. */
  exit(otherwise: number): number;
  /** Waits for the work, or for the second signal: then the command ends with it, and awaits nothing more. */
  untilSecond(work: Promise<unknown>): Promise<Ending>;
}

/** Listens from now on until it is disposed. `ignore` names signals that do not matter to this command. */
export function listen(io: Io, options: { ignore?: SignalName; onFirst?: () => void }): Interrupts {
  const abort = new AbortController();
  const { promise, resolve } = Promise.withResolvers<SignalName>();
  let first: SignalName | undefined;
  const off = io.onSignal?.((signal) => {
    if (signal === options.ignore) return;
    if (first !== undefined) return resolve(signal);
    first = signal;
    abort.abort(`interrupted by ${signal}`);
    options.onFirst?.();
  });
  return {
    signal: abort.signal,
    get first() {
      return first;
    },
    second: promise,
    exit: (otherwise) => (first === undefined ? otherwise : exitCodeFor(first)),
    async untilSecond(work) {
      const second = await Promise.race([work.then(() => undefined), promise]);
      return second === undefined ? {} : { exit: exitCodeFor(second), exitNow: true };
    },
    [Symbol.dispose]: () => off?.(),
  };
}
