import type { LoopObserver, RunOptions } from "@ccw-loop/core";

/** Tells each of them; one that throws keeps neither the others nor a loop from anything. */
export function tellObservers(
  observers: readonly LoopObserver[],
  tell: (observer: LoopObserver) => void,
): void {
  for (const observer of observers) {
    try {
      tell(observer);
    } catch {
      // An observer tells its own troubles.
    }
  }
}

/** The same run, of which the observers are told as well as whoever asked for it. */
export function withObservers(observers: readonly LoopObserver[], options: RunOptions): RunOptions {
  if (observers.length === 0) return options;
  return {
    ...options,
    onEvent(live) {
      options.onEvent?.(live);
      tellObservers(observers, (observer) => observer.event(live));
    },
  };
}
