/**
 * The one platform type that the ports need. Core has neither Node's nor the browser's types, so that an
 * import of either is a compile error; every platform we run on brings its own, larger AbortSignal.
 */
declare global {
  interface AbortSignal {
    readonly aborted: boolean;
    readonly reason: unknown;
    addEventListener(type: "abort", listener: () => void): void;
    removeEventListener(type: "abort", listener: () => void): void;
  }
}

export {};
