export { type Io, type Output, processIo, type SignalName } from "./io.ts";
export { main } from "./main.ts";
