export { requireTerminal } from "./app/terminal.ts";
export { openTui, type TuiOptions } from "./app/tui.ts";
