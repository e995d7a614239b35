export { openTui, type TuiOptions } from "./app/tui.ts";
export { requireTerminal } from "./effects/terminal.ts";
