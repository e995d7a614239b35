import type { Call } from "./calls.ts";

/** What a step of the model wants to happen outside of it; `perform` does it. */
export type Effect =
  /** Its answer comes back as `answered`, to the screen of that kind wherever it is in the stack. */
  | { type: "call"; call: Call }
  /** Follow this loop, and only this one, from now on; null: none. */
  | { type: "follow"; id: string | null }
  /** Go on with a loop: here where this process drives, else where its server does. */
  | { type: "drive"; id: string }
  /** Leave: loops that are driven here are paused, or stay running for the next supervisor. */
  | { type: "quit"; driven: "pause" | "release" };
