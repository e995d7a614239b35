import { createApp } from "@ccw-loop/api";
import type { LoopService } from "@ccw-loop/core";
import { Hono } from "hono";
import { basicAuth } from "hono/basic-auth";

/**
 * A team's own server, with the control plane below `/loops` behind the team's own sign-in. `guarded` says so: then the
 * control plane asks for no token, but still checks Host, Origin and the type of every body.
 */
export function teamServer(loops: LoopService, password: string): Hono {
  const app = new Hono();
  app.get("/", (c) => c.text("The team's own page"));
  app.use("/loops/*", basicAuth({ username: "team", password }));
  app.route("/loops", createApp(loops, { access: "guarded", hosts: ["tools.example.com"] }));
  return app;
}
