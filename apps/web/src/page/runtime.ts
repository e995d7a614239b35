import { z } from "zod";

// Compiled schemas are made with `new Function`, which the policy of the page forbids.
z.config({ jitless: true });

/** Streams can be iterated in every browser but some; those get it here. */
if (!(Symbol.asyncIterator in ReadableStream.prototype)) {
  Object.defineProperty(ReadableStream.prototype, Symbol.asyncIterator, {
    async *value<T>(this: ReadableStream<T>): AsyncGenerator<T> {
      const reader = this.getReader();
      try {
        for (let got = await reader.read(); !got.done; got = await reader.read()) yield got.value;
      } finally {
        await reader.cancel();
        reader.releaseLock();
      }
    },
  });
}
