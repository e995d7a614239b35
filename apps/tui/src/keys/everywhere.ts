import { requestQuit } from "../model/leaving.ts";
import { pushScreen, topScreen } from "../model/stack.ts";
import type { Binding } from "../screens/screen.ts";

export const QUIT: Binding = {
  id: "app.quit",
  keys: ["ctrl+c"],
  label: "quit",
  footer: false,
  run: requestQuit,
};

/** What keys do on every screen, unless the screen needs them itself. */
export const GLOBAL_BINDINGS: readonly Binding[] = [
  {
    id: "app.help",
    keys: ["?"],
    label: "help",
    run(model) {
      const { kind } = topScreen(model);
      return {
        model: kind === "help" ? model : pushScreen(model, { kind: "help", of: kind, scroll: 0 }),
      };
    },
  },
  QUIT,
];
