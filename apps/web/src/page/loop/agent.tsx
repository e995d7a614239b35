import type { AgentLog as Log, TonedLine } from "@ccw-loop/view";
import { memo, useLayoutEffect, useRef, useState } from "react";
import { Panel } from "../parts/panel.tsx";
import { SearchField } from "../parts/search.tsx";

/** Lines of one piece of the log: what is not on the screen the browser need not lay out. */
const BLOCK = 100;

/** Pixels from the end at which it counts as reached. */
const NEAR = 30;

function isAtEnd({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean {
  return scrollHeight - scrollTop - clientHeight < NEAR;
}

/**
 * What the agent and the tests say and print, as it comes. It follows the end; while somebody has scrolled up it stays as it
 * was, so that what is read neither moves nor falls out.
 */
export function AgentLog({ log: newest, running }: { log: Log; running: boolean }) {
  const [search, setSearch] = useState("");
  const [held, setHeld] = useState<Log | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const log = held ?? newest;
  const wanted = search.trim().toLowerCase();
  const lines =
    wanted === "" ? log.lines : log.lines.filter(({ text }) => text.toLowerCase().includes(wanted));
  const total = log.dropped + log.lines.length;
  const followedTo = useRef(0);
  useLayoutEffect(() => {
    const at = box.current;
    if (held !== null || at === null) return;
    // Somebody has just scrolled up: the browser tells of it with its next frame.
    if (at.scrollTop < followedTo.current - NEAR && !isAtEnd(at)) return;
    at.scrollTop = at.scrollHeight;
    followedTo.current = at.scrollTop;
  });
  const onScroll = () => {
    const at = box.current;
    if (at === null) return;
    setHeld(isAtEnd(at) ? null : log);
  };
  const follow = () => {
    followedTo.current = 0;
    setHeld(null);
  };
  const find = (text: string) => {
    follow();
    setSearch(text);
  };
  const note =
    wanted !== ""
      ? `${lines.length} found`
      : held !== null
        ? `up to line ${total}`
        : running
          ? "following"
          : `${total} lines`;
  return (
    <Panel title="The agent at work" note={note}>
      <SearchField label="Search in the output" value={search} onChange={find} />
      <div
        ref={box}
        className="log"
        role="log"
        aria-label="Output"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
        tabIndex={0}
        onScroll={onScroll}
      >
        {blocksOf(lines, wanted === "" ? log.dropped : 0).map(({ number, part }) => (
          <Block key={number} lines={part} />
        ))}
        {lines.length === 0 && (
          <p className="quiet">{wanted === "" ? "Nothing was said yet." : "No line has it."}</p>
        )}
      </div>
      {held !== null && (
        <button type="button" className="end" onClick={follow}>
          To the end
        </button>
      )}
    </Panel>
  );
}

/** The lines in pieces that keep their number while others come behind them and fall out before them. */
function blocksOf(lines: readonly TonedLine[], dropped: number) {
  const blocks: { number: number; part: readonly TonedLine[] }[] = [];
  for (let at = 0; at < lines.length; ) {
    const number = Math.floor((at + dropped) / BLOCK);
    const end = Math.min(lines.length, (number + 1) * BLOCK - dropped);
    blocks.push({ number, part: lines.slice(at, end) });
    at = end;
  }
  return blocks;
}

const Block = memo(
  function Block({ lines }: { lines: readonly TonedLine[] }) {
    return (
      <div className="block">
        {lines.map(({ tone, text }, at) => (
          <div key={at} className={tone}>
            {text}
          </div>
        ))}
      </div>
    );
  },
  // Lines never change once they are whole, only the last one does.
  ({ lines: before }, { lines: after }) =>
    before.length === after.length &&
    before[0] === after[0] &&
    before.at(-1) === after.at(-1) &&
    before.at(-2) === after.at(-2),
);
