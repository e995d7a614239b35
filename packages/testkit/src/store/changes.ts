/** Tells waiting listeners which names changed. A name with a colon is heard only by who asks for it. */
export interface Changes {
  tell(name: string): void;
  /**
   * Yields `name` (any name without one) after each change until `signal` aborts or all ends. Listening
   * begins with this call, not with the first `next`; with `now` it begins as if a change had just happened.
   */
  listen(name: string | undefined, signal: AbortSignal, now?: boolean): AsyncIterable<string>;
  end(): void;
}

export function changes(): Changes {
  const listeners = new Set<(name?: string) => void>();
  let ended = false;
  return {
    tell: (name) => {
      for (const listener of listeners) listener(name);
    },
    end: () => {
      ended = true;
      for (const listener of listeners) listener();
    },
    listen(name, signal, now = false) {
      const pending = new Set<string>(now && name !== undefined ? [name] : []);
      let wake = () => {};
      const listener = (changed?: string) => {
        const wanted = name === undefined ? !changed?.includes(":") : changed === name;
        if (changed !== undefined && wanted) pending.add(changed);
        wake();
      };
      listeners.add(listener);
      const stop = () => {
        listeners.delete(listener);
        wake();
      };
      signal.addEventListener("abort", stop, { once: true });
      return (async function* () {
        try {
          while (!signal.aborted) {
            const names = [...pending];
            pending.clear();
            yield* names;
            if (ended) return;
            if (pending.size > 0 || signal.aborted) continue;
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
          }
        } finally {
          signal.removeEventListener("abort", stop);
          stop();
        }
      })();
    },
  };
}
