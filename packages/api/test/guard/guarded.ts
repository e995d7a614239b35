import { Hono } from "hono";
import type { AppOptions } from "../../src/app/options.ts";
import { guard } from "../../src/guard/guard.ts";

export const TOKEN = "t0k3n-".repeat(8);

/** An app of which every path says that it was reached; `handled` counts how often. */
export function guarded(options: Partial<AppOptions> = {}) {
  const app = new Hono();
  let handled = 0;
  app.use(guard({ access: { token: TOKEN }, ...options }));
  app.all("*", (c) => {
    handled += 1;
    return c.json({ reached: c.req.path });
  });
  return {
    app,
    handled: () => handled,
    /** A request with the token, unless `headers` says otherwise; an empty value leaves a header out. */
    ask: (path: string, { peer, ...init }: RequestInit & { peer?: string } = {}) => {
      const headers = new Headers({ authorization: `Bearer ${TOKEN}` });
      for (const [name, value] of new Headers(init.headers)) {
        if (value === "") headers.delete(name);
        else headers.set(name, value);
      }
      const env = { incoming: { socket: { remoteAddress: peer } } };
      return app.request(path, { ...init, headers }, env);
    },
  };
}
