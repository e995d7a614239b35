import type { Hono } from "hono";
import { createApp, guardedApp } from "../app/app.ts";
import { HttpError } from "../app/http-error.ts";
import { Metrics } from "../app/metrics.ts";
import { type AppOptions, badOption, type ServedEnv } from "../app/options.ts";
import type { ServedProject } from "./options.ts";

export type Fetch = (request: Request, env: object) => Promise<Response>;

/** Every project is an app of its own, at `/projects/NAME`; the first one at `/` as well. */
export function projectsFetch(
  projects: readonly ServedProject[],
  optionsOf: (project: ServedProject) => AppOptions,
): Fetch {
  const [first] = projects;
  if (first === undefined) throw badOption("There is no project to serve.");
  requireNames(projects);
  const apps = new Map(projects.map((one) => [one.name, createApp(one.service, optionsOf(one))]));
  const hall = projectListApp([...apps.keys()], optionsOf(first));
  return async (request, env) => {
    const url = new URL(request.url);
    if (url.pathname === "/api/projects") return hall.fetch(request, env);
    const [prefix, name] = /^\/projects\/([^/]*)(?=\/|$)/.exec(url.pathname) ?? [];
    const app = apps.get(name ?? first.name);
    if (app === undefined) return hall.fetch(request, env);
    if (prefix === undefined) return app.fetch(request, env);
    url.pathname = url.pathname.slice(prefix.length);
    const below: ServedEnv = { base: prefix };
    return app.fetch(new Request(url, request), { ...env, ...below });
  };
}

/** What is there beside the projects: their list. */
function projectListApp(names: readonly string[], options: AppOptions): Hono {
  const data = names.map((name, at) => ({ name, path: `/projects/${name}`, first: at === 0 }));
  const app = guardedApp(options, new Metrics());
  app.get("/api/projects", (c) => c.json({ success: true, data }));
  app.all("/api/projects", () => {
    throw new HttpError(405, "The list is only read.", { allow: "GET" });
  });
  app.notFound(() => {
    throw new HttpError(404, "There is no such project. See GET /api/projects.");
  });
  return app;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

function requireNames(projects: readonly ServedProject[]): void {
  const names = new Set<string>();
  for (const { name } of projects) {
    if (!NAME.test(name)) {
      throw badOption(
        `${JSON.stringify(name)} is no name for a project: use letters, digits, ".", "_" and "-".`,
      );
    }
    if (names.has(name)) {
      throw badOption(`Two projects are called ${name}. Give one another name.`);
    }
    names.add(name);
  }
}
