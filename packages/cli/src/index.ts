export { main } from "./main.ts";
export { type Io, type Output, processIo, type SignalName } from "./runtime/io.ts";
