import { Store, useStore } from "./store.ts";

/** How long a page that nobody sees keeps its stream. */
const KEPT_MS = 60_000;

const visible = new Store(true);
let timer: ReturnType<typeof setTimeout> | undefined;

document.addEventListener("visibilitychange", () => {
  clearTimeout(timer);
  if (document.hidden) timer = setTimeout(() => visible.set(false), KEPT_MS);
  else visible.set(true);
});

/**
 * Whether somebody sees the page, or did a moment ago. A browser opens six connections to a server for all of its tabs
 * together, so one that nobody looks at gives its stream back and reads anew what it missed.
 */
export function useVisible(): boolean {
  return useStore(visible);
}
