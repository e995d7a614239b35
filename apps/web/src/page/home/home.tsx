import {
  type Entry,
  HEALTH_WORDS,
  HEALTHS,
  type Head,
  type Health,
  isDamaged,
  type Loops,
  orderOf,
  overviewOf,
  SORT_WORDS,
  type Sort,
} from "@ccw-loop/view";
import { type KeyboardEvent, useDeferredValue, useEffect, useLayoutEffect, useRef } from "react";
import { goTo, Link } from "../parts/router.tsx";
import { SearchField } from "../parts/search.tsx";
import { useStore } from "../parts/store.ts";
import { useVisible } from "../parts/visible.ts";
import { everywhere, keepEverywhere } from "./everywhere.ts";
import { useWindow } from "./list-window.ts";
import { DamagedLoop, GroupHead, LoopLine } from "./rows.tsx";

/** What is looked for, as the address says it. */
export interface Filter {
  sort: Sort;
  health: Health | "damaged" | null;
  search: string;
}

function filterOf(query: URLSearchParams): Filter {
  const sort = query.get("sort") ?? "";
  const health = query.get("health") ?? "";
  return {
    sort: Object.hasOwn(SORT_WORDS, sort) ? (sort as Sort) : "health",
    health: Object.hasOwn(HEALTH_WORDS, health) ? (health as Health) : null,
    search: query.get("q") ?? "",
  };
}

function look(filter: Filter): void {
  const { sort, health, search } = filter;
  const query = new URLSearchParams({
    ...(search === "" ? {} : { q: search }),
    ...(health === null ? {} : { health }),
    ...(sort === "health" ? {} : { sort }),
  });
  goTo(query.size === 0 ? "" : `?${query}`, { replace: true });
}

/** How far it was scrolled down when another page was opened. */
let leftAt = 0;

/** All loops, grouped by how they do, with a search and filters that are in the address. */
export function Home({ query }: { query: URLSearchParams }) {
  const loops = useStore(everywhere);
  const filter = filterOf(query);
  const visible = useVisible();
  useEffect(() => (visible ? keepEverywhere() : undefined), [visible]);
  useEffect(() => {
    document.title = "Loops · CCW Loop";
  }, []);
  useLayoutEffect(() => {
    window.scrollTo(0, leftAt);
    const onScroll = () => {
      leftAt = window.scrollY;
    };
    window.addEventListener("scroll", onScroll, { passive: true });
    return () => window.removeEventListener("scroll", onScroll);
  }, []);
  return (
    <div className="home">
      <h1 className="unseen">All loops</h1>
      <Filters loops={loops} filter={filter} />
      <List loops={loops} filter={filter} />
    </div>
  );
}

function Filters({ loops, filter }: { loops: Loops; filter: Filter }) {
  const { counts } = overviewOf(loops.rows);
  const damaged = loops.damaged.length;
  const healths = [
    ...HEALTHS.map((health) => [health, counts[health]] as const),
    ["damaged", damaged] as const,
  ].filter(([health, count]) => count > 0 || health === filter.health);
  return (
    <search className="filters">
      <SearchField
        label="Search in titles, ids, tags and tasks"
        placeholder="Search ( / )"
        value={filter.search}
        onChange={(search) => look({ ...filter, search })}
      />
      <fieldset>
        <legend className="unseen">Show</legend>
        <Chip filter={filter} health={null} label="All" count={loops.total + damaged} />
        {healths.map(([health, count]) => (
          <Chip
            key={health}
            filter={filter}
            health={health}
            label={HEALTH_WORDS[health].short}
            count={count}
          />
        ))}
      </fieldset>
      <label className="sort">
        <span className="unseen">Order</span>
        <select
          value={filter.sort}
          onChange={(event) => look({ ...filter, sort: event.target.value as Sort })}
        >
          {Object.entries(SORT_WORDS).map(([sort, words]) => (
            <option key={sort} value={sort}>
              {words}
            </option>
          ))}
        </select>
      </label>
    </search>
  );
}

interface ChipProps {
  filter: Filter;
  health: Filter["health"];
  label: string;
  count: number;
}

function Chip({ filter, health, label, count }: ChipProps) {
  const tone = health === null ? "plain" : HEALTH_WORDS[health].tone;
  return (
    <button
      type="button"
      className={`chip ${tone}`}
      aria-pressed={filter.health === health}
      onClick={() => look({ ...filter, health })}
    >
      {label} <span className="count">{count}</span>
    </button>
  );
}

function List({ loops, filter }: { loops: Loops; filter: Filter }) {
  const wanted = useDeferredValue(filter);
  const { entries, lines } = orderOf(loops, wanted);
  const list = useRef<HTMLUListElement>(null);
  const { from, to, edges } = useWindow(list, lines, isHead);
  if (entries.length === 0) return <Nothing loops={loops} filter={filter} />;
  return (
    <ul
      ref={list}
      className="loops"
      aria-busy={!loops.complete}
      style={{ height: edges.at(-1) }}
      onKeyDown={moveFocus}
    >
      {lines.slice(from, to).map((line, i) => (
        <li
          key={isHead(line) ? `head ${line.health}` : line.id}
          style={{ transform: `translateY(${edges[from + i]}px)` }}
          aria-setsize={lines.length}
          aria-posinset={from + i + 1}
        >
          {isHead(line) ? (
            <GroupHead head={line} />
          ) : isDamaged(line) ? (
            <DamagedLoop loop={line} />
          ) : (
            <LoopLine row={line} />
          )}
        </li>
      ))}
    </ul>
  );
}

function isHead(line: Head | Entry): line is Head {
  return "count" in line;
}

/** Up and down go from loop to loop. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (by === 0) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>("a")];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? undefined : links[at + by];
  if (next === undefined) return;
  event.preventDefault();
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}

function Nothing({ loops, filter }: { loops: Loops; filter: Filter }) {
  if (!loops.complete) return <p role="status">The loops are being read.</p>;
  if (loops.total + loops.damaged.length > 0) {
    const all: Filter = { ...filter, health: null, search: "" };
    return (
      <div className="empty">
        <p>No loop fits the search and the filter.</p>
        <button type="button" onClick={() => look(all)}>
          Show all loops
        </button>
      </div>
    );
  }
  return (
    <div className="empty">
      <p>There is no loop yet.</p>
      <Link to="new" className="button primary">
        Make the first loop
      </Link>
    </div>
  );
}
