import { frameOf } from "../../src/app/frame.ts";
import { textOf } from "../../src/components/line.ts";
import { type Model, topScreen } from "../../src/model/model.ts";
import { screenOf } from "../../src/screens/screens.ts";

/** The whole screen as a person sees it, without colors; the clock at the top is no part of it. */
export function seen(model: Model): string {
  const rows = frameOf(model).map((row) => textOf(row).trimEnd());
  return rows.slice(1).join("\n");
}

/** What a screen reader is given of the screen on top. */
export function heard(model: Model): string {
  const top = topScreen(model);
  return screenOf(top).plain(top, model).map(textOf).join("\n");
}
