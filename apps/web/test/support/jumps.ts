import type { Page } from "playwright-core";

/** What moved without an input, as Chromium's own layout-shift entries have it: at most five things each. */
const WATCH = `
  window.jumps = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      jumps.push({
        value,
        inOutput: sources.every(({ node }) => node?.parentElement?.closest("[role=log]")),
        moved: sources.map(({ node, previousRect: from, currentRect: to }) =>
          [node?.textContent?.slice(0, 60), from.x, from.y, "to", to.x, to.y].join(" ")),
      });
    }
  }).observe({ type: "layout-shift" });
`;

export interface Jump {
  /** Which share of what is seen moved, times how far of it, 0 to 1. */
  value: number;
  /** Only lines of the output moved. They do while it follows its end. */
  inOutput: boolean;
  /** The beginnings of the texts that moved, each with where from and where to. */
  moved: string[];
}

/** Notes every jump of the layout from now on; answers with those up to then. */
export async function watchJumps(page: Page): Promise<() => Promise<Jump[]>> {
  await page.evaluate(WATCH);
  return async () => (await page.evaluate("jumps")) as Jump[];
}
