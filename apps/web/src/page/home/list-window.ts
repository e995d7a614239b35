import { type RefObject, useLayoutEffect, useMemo, useState } from "react";

/** Pixels above and below what is seen, so that scrolling shows no gaps. */
const MORE = 600;

/**
 * Where each of many lines of a list stands, and which of them are near what is seen. The style says how high they are, in
 * `--head` and `--row`: on a phone they are higher.
 */
export function useWindow<L>(
  list: RefObject<HTMLElement | null>,
  lines: readonly L[],
  isHead: (line: L) => boolean,
) {
  const [seen, setSeen] = useState({ top: 0, height: 1000, head: 48, row: 48 });
  const isEmpty = lines.length === 0;
  useLayoutEffect(() => {
    const measure = () => {
      const element = list.current;
      if (element === null) return;
      const style = getComputedStyle(element);
      const [head = 48, row = 48] = ["--head", "--row"].map((name) =>
        Number.parseFloat(style.getPropertyValue(name)),
      );
      // In steps: not every pixel needs another look.
      const top = Math.round(-element.getBoundingClientRect().top / 200) * 200;
      const now = { top, height: window.innerHeight, head, row };
      setSeen((before) => (JSON.stringify(before) === JSON.stringify(now) ? before : now));
    };
    measure();
    window.addEventListener("scroll", measure, { passive: true });
    window.addEventListener("resize", measure);
    return () => {
      window.removeEventListener("scroll", measure);
      window.removeEventListener("resize", measure);
    };
  }, [list, isEmpty]);
  const { top, height, head, row } = seen;
  /** The upper edge of each line, and the lower one of the last. */
  const edges = useMemo(() => {
    let at = 0;
    return [
      0,
      ...lines.map((line) => {
        at += isHead(line) ? head : row;
        return at;
      }),
    ];
  }, [lines, isHead, head, row]);
  const from = Math.max(0, edges.findIndex((edge) => edge > top - MORE) - 1);
  const end = edges.findIndex((edge) => edge > top + height + MORE);
  return { from, to: end < 0 ? lines.length : end, edges };
}
