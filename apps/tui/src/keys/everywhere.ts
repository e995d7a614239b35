import { leaving } from "../model/leaving.ts";
import { pushed, topOf } from "../model/stack.ts";
import type { Binding } from "../screens/screen.ts";

export const QUIT: Binding = {
  id: "app.quit",
  keys: ["ctrl+c"],
  label: "quit",
  footer: false,
  run: leaving,
};

/** What keys do on every screen, unless the screen needs them itself. */
export const EVERYWHERE: readonly Binding[] = [
  {
    id: "app.help",
    keys: ["?"],
    label: "help",
    run(model) {
      const { kind } = topOf(model);
      return {
        model: kind === "help" ? model : pushed(model, { kind: "help", of: kind, scroll: 0 }),
      };
    },
  },
  QUIT,
];
