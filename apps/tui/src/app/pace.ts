const FASTEST_MS = 100;
const SLOWEST_MS = 500;

/** A frame may take one part of so many of the time until the next one. */
const PARTS = 24;

/** How often what the loops do is drawn: as often as it is cheap. What a person does is drawn at once. */
export class FrameThrottle {
  #cost = 0;
  #drawn = Number.NEGATIVE_INFINITY;

  /** A frame was drawn, and took `ms`. */
  drew(now: number, ms: number): void {
    this.#drawn = now;
    this.#cost = this.#cost === 0 ? ms : 0.8 * this.#cost + 0.2 * ms;
  }

  /** For so long the next frame has to wait, in ms. */
  wait(now: number): number {
    const apart = Math.min(SLOWEST_MS, Math.max(FASTEST_MS, PARTS * this.#cost));
    return Math.max(0, this.#drawn + apart - now);
  }
}
