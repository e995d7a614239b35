/** Imported first: on an older Node a library would fail, with a message that names no version. */
if (!("union" in Set.prototype)) {
  throw new Error(
    `@ccw-loop/orchestrator needs Node 24.15 or newer, or 22.x from 22.22.2, and this is ${process.versions.node}. Get one from https://nodejs.org/en/download`,
  );
}

export {};
