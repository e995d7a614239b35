/** One measure under its name: what `/metrics` prints, and what a host passes on. */
export type Metric = { name: string; help: string } & (
  | { type: "counter" | "gauge"; samples: readonly Sample<number>[] }
  | { type: "histogram"; samples: readonly Sample<Durations>[] }
);

export interface Sample<T> {
  labels: Readonly<Record<string, string>>;
  value: T;
}

/** How many durations were at most as long as each bound, all of them counted once in `count`; seconds. */
export interface Durations {
  bounds: readonly number[];
  atMost: number[];
  sum: number;
  count: number;
}

const BOUNDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];

/** Figures of an app since its start: its requests by pattern of the route, never by what a caller wrote, and what else it reads. */
export class Metrics {
  readonly #requests = new Map<string, Sample<number>>();
  readonly #durations = new Map<string, Sample<Durations>>();
  #more: () => Promise<readonly Metric[]> = async () => [];

  answered(route: string, method: string, status: number, seconds: number): void {
    const requests = sampleOf(this.#requests, { route, method, status: String(status) }, () => 0);
    requests.value += 1;
    const { value } = sampleOf(this.#durations, { route, method }, () => ({
      ...{ bounds: BOUNDS, atMost: BOUNDS.map(() => 0) },
      ...{ sum: 0, count: 0 },
    }));
    BOUNDS.forEach((bound, at) => {
      if (seconds <= bound) value.atMost[at] = (value.atMost[at] ?? 0) + 1;
    });
    value.sum += seconds;
    value.count += 1;
  }

  /** What is read anew whenever somebody asks. */
  readAlso(more: () => Promise<readonly Metric[]>): void {
    this.#more = more;
  }

  async read(): Promise<Metric[]> {
    return [
      {
        ...{ name: "ccw_loop_http_requests_total", type: "counter" },
        ...{ help: "Requests that were answered.", samples: [...this.#requests.values()] },
      },
      {
        ...{ name: "ccw_loop_http_request_duration_seconds", type: "histogram" },
        ...{ help: "Time until the answer began.", samples: [...this.#durations.values()] },
      },
      ...(await this.#more()),
    ];
  }
}

function sampleOf<T>(
  samples: Map<string, Sample<T>>,
  labels: Sample<T>["labels"],
  empty: () => T,
): { value: T } {
  const key = JSON.stringify(labels);
  const sample = samples.get(key) ?? { labels, value: empty() };
  samples.set(key, sample);
  return sample;
}

export function prometheusText(metrics: readonly Metric[]): string {
  return `${metrics.flatMap(linesOf).join("\n")}\n`;
}

function linesOf({ name, help, ...metric }: Metric): string[] {
  const line = (end: string, labels: Sample<unknown>["labels"], value: number) => {
    const pairs = Object.entries(labels).map(([label, of]) => `${label}="${of}"`);
    return `${name}${end}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}`;
  };
  const lines =
    metric.type === "histogram"
      ? metric.samples.flatMap(({ labels, value: { bounds, atMost, sum, count } }) => [
          ...bounds.map((le, at) => line("_bucket", { ...labels, le: `${le}` }, atMost[at] ?? 0)),
          line("_bucket", { ...labels, le: "+Inf" }, count),
          line("_sum", labels, sum),
          line("_count", labels, count),
        ])
      : metric.samples.map(({ labels, value }) => line("", labels, value));
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${metric.type}`, ...lines];
}
