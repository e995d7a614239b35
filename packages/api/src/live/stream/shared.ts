/** Something that several use: opened for the first of them, closed when the last one leaves or it ends by itself. */
export class Shared<T extends { close(): void }> {
  readonly #open: Map<string, { value: Promise<T>; users: number }> = new Map();

  get size(): number {
    return this.#open.size;
  }

  /** `open` is given what to call when it ends by itself. What it throws, everybody who waits gets. */
  async use(
    key: string,
    open: (ended: () => void) => Promise<T>,
  ): Promise<{ value: T; leave: () => void }> {
    const found = this.#open.get(key) ?? this.#begin(key, open);
    found.users += 1;
    let left = false;
    const leave = () => {
      if (left) return;
      left = true;
      found.users -= 1;
      if (found.users > 0) return;
      this.#forget(key, found.value);
      void found.value.then((value) => value.close()).catch(() => undefined);
    };
    try {
      return { value: await found.value, leave };
    } catch (error) {
      leave();
      throw error;
    }
  }

  #begin(key: string, open: (ended: () => void) => Promise<T>) {
    const made: { value: Promise<T>; users: number } = {
      value: open(() => this.#forget(key, made.value)),
      users: 0,
    };
    this.#open.set(key, made);
    return made;
  }

  #forget(key: string, value: Promise<T>): void {
    if (this.#open.get(key)?.value === value) this.#open.delete(key);
  }
}
