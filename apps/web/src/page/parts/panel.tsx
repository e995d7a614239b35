import type { TonedLine } from "@ccw-loop/view";
import { type ReactNode, useEffect, useId, useState } from "react";

/** A part of a page with a heading of its own. */
export function Panel({
  title,
  note,
  children,
}: {
  title: string;
  note?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section className="panel" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {note !== undefined && <span className="quiet">{note}</span>}
      </header>
      {children}
    </section>
  );
}

/** What may be wider than the page: it scrolls by itself, by keys as well. */
export function Scrolls({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
    <section className="scrolls" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

/** A line in its look. */
export function Toned({ line: { tone, text } }: { line: TonedLine }) {
  return <span className={tone}>{text}</span>;
}

/** How much of a bound is used, 0 to 1; it turns yellow and red when that is most of it. */
export function Meter({ share, label }: { share: number; label: string }) {
  return (
    <meter
      aria-label={label}
      value={Math.min(1, share)}
      max={1}
      low={0.8}
      high={0.999}
      optimum={0}
    />
  );
}

/** The time, which goes on by itself while it is shown. */
export function useNow(everyMs = 1000): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
