import { createApp } from "../app/app.ts";
import { type AppOptions, badOption, type ServedEnv } from "../app/options.ts";
import type { ServedProject } from "./options.ts";

export type Fetch = (request: Request, env: object) => Promise<Response>;

/** Every project is an app of its own, at `/projects/NAME`; the first one at `/` as well. */
export function projectsFetch(
  served: readonly ServedProject[],
  optionsOf: (project: ServedProject) => AppOptions,
): Fetch {
  requireNames(served);
  const projects = served.map(({ name }, at) => ({
    name,
    path: `/projects/${name}`,
    first: at === 0,
  }));
  const apps = new Map(
    served.map((one) => [one.name, createApp(one.service, { ...optionsOf(one), projects })]),
  );
  const [first] = apps.values();
  if (first === undefined) throw badOption("There is no project to serve.");
  return async (request, env) => {
    const url = new URL(request.url);
    const [prefix, name = ""] = /^\/projects\/([^/]*)(?=\/|$)/.exec(url.pathname) ?? [];
    const app = apps.get(name);
    // The first one answers for projects that are not there, too: it has nothing under their paths.
    if (app === undefined || prefix === undefined) return first.fetch(request, env);
    url.pathname = url.pathname.slice(prefix.length);
    const below: ServedEnv = { base: prefix };
    return app.fetch(new Request(url, request), { ...env, ...below });
  };
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
