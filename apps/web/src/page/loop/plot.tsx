interface PlotProps {
  title: string;
  values: readonly number[];
  /** The largest that there can be; of what has no bound the largest value. */
  top?: number;
  text: (value: number) => string;
}

const WIDTH = 300;
const HEIGHT = 48;

/** How a figure went, as a line, with its last value. */
export function Plot({ title, values, top = Math.max(1, ...values), text }: PlotProps) {
  const last = values.at(-1);
  if (last === undefined) return null;
  const step = values.length > 1 ? WIDTH / (values.length - 1) : 0;
  const y = (value: number) => HEIGHT - 3 - (value / top) * (HEIGHT - 6);
  const points = values.map((value, at) => `${at * step},${y(value)}`);
  const first = values[0] ?? last;
  return (
    <figure className="plot">
      <figcaption>
        {title} <strong>{text(last)}</strong>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: from ${text(first)} to ${text(last)} in ${values.length} steps`}
      >
        <polyline points={[...points, `${WIDTH},${y(last)}`].join(" ")} />
      </svg>
    </figure>
  );
}
