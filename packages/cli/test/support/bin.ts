import { join } from "node:path";

const sources = join(import.meta.dirname, "../..");
/** The built copy of the whole test run; without one, the sources. */
export const BUILT = process.env.CCW_LOOP_BUILT ?? sources;

/** The launchers, as programs start them. */
export const BIN = join(BUILT, "bin/ccw-loop.js");
export const TUI_BIN = join(BUILT, "bin/ccw-loop-tui.js");
export const SOURCE_BIN = join(sources, "bin/ccw-loop.js");
