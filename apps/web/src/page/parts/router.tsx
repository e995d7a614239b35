import type { AnchorHTMLAttributes, MouseEvent } from "react";
import { base } from "./server.ts";
import { Store, useStore } from "./store.ts";

/** Where the page is, below the place of the app: `loops/cart`, without a slash at the front. */
export interface Place {
  path: string;
  query: URLSearchParams;
}

const place = new Store<Place>(placeNow());

function placeNow(): Place {
  const { pathname, search } = location;
  const path = pathname.startsWith(base.pathname) ? pathname.slice(base.pathname.length) : "";
  return { path, query: new URLSearchParams(search) };
}

window.addEventListener("popstate", () => place.set(placeNow()));

export function usePlace(): Place {
  return useStore(place);
}

/** The address of a place within the app; with a slash at its front it is one of the server, such as of another project. */
export function hrefOf(path: string): string {
  return path.startsWith("/") ? path : base.pathname + path;
}

/** Goes to a place, which of another project is a page of its own; `replace` leaves no step behind to come back to. */
export function goTo(path: string, { replace = false } = {}): void {
  if (path.startsWith("/")) {
    location.assign(path);
    return;
  }
  if (replace) history.replaceState(null, "", hrefOf(path));
  else history.pushState(null, "", hrefOf(path));
  place.set(placeNow());
  if (!replace) window.scrollTo(0, 0);
}

/** A link to a place within the app. */
export function Link({ to, ...rest }: { to: string } & AnchorHTMLAttributes<HTMLAnchorElement>) {
  const onClick = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    goTo(to);
  };
  return <a {...rest} href={hrefOf(to)} onClick={onClick} />;
}
