import type { MiddlewareHandler } from "hono";

const POLICY = "default-src 'none'; frame-ancestors 'none'";

/** A browser that shows an answer as a page of its own runs and loads nothing, whatever text is in it. */
export const contentSecurityPolicy: MiddlewareHandler = async (c, next) => {
  await next();
  if (c.res.headers.has("Content-Security-Policy")) return;
  c.header("Content-Security-Policy", POLICY);
};
