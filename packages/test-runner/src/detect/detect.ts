import { existsSync } from "node:fs";
import { join } from "node:path";
import { LoopError, type PlanPart, typedCommand, type VerifyPlan } from "@ccw-loop/core";
import { runnerOf } from "../runners/recognise.ts";
import { type ChainCommand, splitChain } from "./chain.ts";
import { type Detector, Folder, isCalledBy, isSameAs, type Suite } from "./detector.ts";
import {
  javascript,
  readPackage,
  reportOfScript,
  scriptCalledBy,
  suiteOfScripts,
} from "./javascript.ts";
import {
  composerScriptCalledBy,
  dotnet,
  go,
  gradle,
  isWorkspace,
  maven,
  php,
  python,
  reportOfDotnet,
  ruby,
  rust,
} from "./languages.ts";
import { bats, perl, tool } from "./tools.ts";

/**
 * How the project in `cwd` is tested: the given command, else what its own files say, else null. Runs
 * nothing and writes nothing.
 */
export async function detect(cwd: string, given?: string): Promise<VerifyPlan | null> {
  if (given?.trim()) {
    return {
      command: given,
      source: "given",
      parts: splitChain(given).map((one) => givenPart(cwd, one)),
    };
  }
  const parts = await suitesOf(cwd);
  if (parts.length === 0) return null;
  const command = parts.map(typedCommand).join(" && ");
  return { command, source: sourcesOf(parts).join(", "), parts };
}

function sourcesOf(parts: readonly PlanPart[]): string[] {
  return [...new Set(parts.flatMap(({ source }) => source ?? []))];
}

/** A command of an operator's, with the report that it can be asked for; a script of npm or composer is looked up. */
export function givenPart(cwd: string, { command, folder }: ChainCommand): PlanPart {
  const place = new Folder(folder === undefined ? cwd : join(cwd, folder), []);
  return { command, ...(folder === undefined ? {} : { folder }), report: reportOf(place, command) };
}

function reportOf(folder: Folder, command: string): string {
  const script = scriptCalledBy(folder.path, command) ?? composerScriptCalledBy(folder, command);
  if (script !== undefined) return reportOfScript(script);
  const runner = runnerOf(command);
  return runner === "dotnet" ? reportOfDotnet(folder) : runner;
}

/** One ecosystem: a file of these names says that a folder is a project of it. */
interface Ecosystem {
  manifest: RegExp;
  /** The first that finds its tests has them all. */
  detectors: readonly Detector[];
  /** Whether the suite of a folder runs the tests of such projects below it too; unless given, it does. */
  reachesBelow?: (folder: Folder) => boolean;
}

const script: Detector = (folder) => {
  const found = readPackage(folder.path);
  return found ? suiteOfScripts(folder.path, found) : [];
};

const ECOSYSTEMS: readonly Ecosystem[] = [
  { manifest: /^package\.json$/, detectors: [script, javascript] },
  {
    manifest:
      /^(pyproject\.toml|setup\.(py|cfg)|tox\.ini|pytest\.ini|conftest\.py|Pipfile|.*requirements.*\.txt)$/,
    detectors: [python],
  },
  { manifest: /^go\.mod$/, detectors: [go], reachesBelow: () => false },
  { manifest: /^Cargo\.toml$/, detectors: [rust], reachesBelow: isWorkspace },
  { manifest: /^(pom\.xml|(build|settings)\.gradle(\.kts)?)$/, detectors: [maven, gradle] },
  { manifest: /\.(slnx?|(cs|fs|vb)proj)$/, detectors: [dotnet] },
  { manifest: /^(composer\.json|phpunit(\.dist)?\.xml(\.dist)?)$/, detectors: [php] },
  { manifest: /^(Gemfile|\.rspec|.*\.gemspec)$/, detectors: [ruby] },
];

/** Projects in such folders are data of tests, examples, or the work of others. */
const NO_PROJECT =
  /^(tests?|specs?|__tests__|testdata|.*fixtures?.*|mocks?|__mocks__|examples?|samples?|demos?|templates?|vendor|third[_-]party|benchmarks?)$/i;
/** What lies deeper is data of some program rather than a part of the project: `services/shop/api` is none. */
const DEPTH = 3;
/** So many suites in folders below want a person who chooses. */
const BELOW = 32;

/** A project that has suites. */
interface Project {
  folder: Folder;
  /** From the top; empty for the top itself. */
  path: string;
  ecosystem: Ecosystem | null;
  suites: readonly Suite[];
}

/**
 * Every suite of the project: of each ecosystem that a file at the top names, Bats and Perl wherever they are, and projects
 * below that nothing above them runs. Where the top has none, what its build tool calls the tests; where nothing has any,
 * tests that no file speaks of.
 */
async function suitesOf(cwd: string): Promise<PlanPart[]> {
  const top = await Folder.read(cwd);
  const atTop: Project[] = [];
  for (const ecosystem of ECOSYSTEMS) {
    if (isOf(ecosystem, top)) add(atTop, projectOf(top, "", ecosystem));
  }
  for (const detector of [bats, perl]) {
    add(atTop, { folder: top, path: "", ecosystem: null, suites: detector(top) });
  }
  const build = atTop.length > 0 ? [] : tool(top);
  const above =
    build.length > 0 ? [{ folder: top, path: "", ecosystem: null, suites: build }] : atTop;
  const all = [...above];
  for (const path of foldersBelow(top)) {
    const folder = top.below(path);
    for (const ecosystem of ECOSYSTEMS) {
      if (isOf(ecosystem, folder) && !isReached(path, ecosystem, all))
        add(all, projectOf(folder, path, ecosystem));
    }
  }
  if (all.length - above.length > BELOW) {
    throw new LoopError(
      "invalid_input",
      `More than ${BELOW} folders have tests of their own. Name the command that runs them with --verify.`,
    );
  }
  const isKnown = atTop.length > 0 || all.length > above.length;
  // A runner says more than the build tool that starts it.
  const fallback = isKnown ? null : withoutManifest(top);
  return partsOf(fallback ? [fallback] : all);
}

function partsOf(projects: readonly Project[]): PlanPart[] {
  return projects.flatMap(({ path, suites }) =>
    suites.map(({ command, report, source }) => ({
      command,
      ...(path === "" ? {} : { folder: path }),
      report,
      source: path === "" ? source : `${path}/${source}`,
    })),
  );
}

/** Adds a project with what nothing above or beside it runs; what a neighbor in another folder runs is its own. */
function add(all: Project[], project: Project): void {
  const { path } = project;
  const around = all.filter((one) => isWithin(path, one)).flatMap(({ suites }) => suites);
  const beside = all.filter((one) => one.path === path).flatMap(({ suites }) => suites);
  const suites = project.suites.filter(
    (suite) => !isCalledBy(suite, around) && !isSameAs(suite, beside),
  );
  if (suites.length > 0) all.push({ ...project, suites });
}

function projectOf(folder: Folder, path: string, ecosystem: Ecosystem): Project {
  for (const detector of ecosystem.detectors) {
    const suites = detector(folder);
    if (suites.length > 0) return { folder, path, ecosystem, suites };
  }
  return { folder, path, ecosystem, suites: [] };
}

function isOf({ manifest }: Ecosystem, { files }: Folder): boolean {
  return files.some((file) => !file.includes("/") && manifest.test(file));
}

/** Whether a project above this folder runs the tests below itself. */
function isReached(path: string, ecosystem: Ecosystem, all: readonly Project[]): boolean {
  return all.some(
    (one) =>
      one.ecosystem === ecosystem &&
      isWithin(path, one) &&
      (ecosystem.reachesBelow?.(one.folder) ?? true),
  );
}

/** Whether a folder is that of a project, or lies in it. */
function isWithin(path: string, project: Project): boolean {
  return project.path === "" || `${path}/`.startsWith(`${project.path}/`);
}

/** Folders below the top that hold a project's file; those above others come first. */
function foldersBelow({ path, files }: Folder): string[] {
  const folders = new Set<string>();
  for (const file of files) {
    const at = file.lastIndexOf("/");
    if (at === -1 || !ECOSYSTEMS.some(({ manifest }) => manifest.test(file.slice(at + 1))))
      continue;
    folders.add(file.slice(0, at));
  }
  const isOwn = (folder: string) => {
    const names = folder.split("/");
    const repositories = names.map((_, n) => join(path, ...names.slice(0, n + 1), ".git"));
    // A name with a quote could not be read again from the command of the whole.
    return (
      names.length <= DEPTH &&
      !names.some((name) => NO_PROJECT.test(name)) &&
      !/['\n]/.test(folder) &&
      !repositories.some((repository) => existsSync(repository))
    );
  };
  return [...folders].filter(isOwn).sort();
}

/** Tests that are there although no file at the top speaks of them. */
function withoutManifest(top: Folder): Project | null {
  for (const ecosystem of ECOSYSTEMS) {
    const project = projectOf(top, "", ecosystem);
    if (project.suites.length > 0) return project;
  }
  return null;
}
