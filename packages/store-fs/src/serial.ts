/** Runs work of the same name one after the other, in the order it came; different names do not wait. */
export interface Serial {
  run<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when nothing is left to do. */
  idle(): Promise<void>;
}

export function keyedQueue(): Serial {
  const tails = new Map<string, Promise<unknown>>();
  return {
    run(name, work) {
      const before = tails.get(name) ?? Promise.resolve();
      const result = before.then(work);
      const tail = result.then(
        () => {},
        () => {},
      );
      tails.set(name, tail);
      void tail.then(() => {
        if (tails.get(name) === tail) tails.delete(name);
      });
      return result;
    },
    async idle() {
      while (tails.size > 0) await Promise.all(tails.values());
    },
  };
}
