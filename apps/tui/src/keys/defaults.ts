import type { KeyMap } from "./keys.ts";

const MOVING = {
  up: ["up", "k"],
  down: ["down", "j"],
  pageup: ["pageup", "ctrl+u"],
  pagedown: ["pagedown", "ctrl+d"],
  top: ["g", "home"],
  end: ["G", "end"],
};
const BACK = { back: ["esc"] };
/** Of a page that is only read, as pagers have it. */
const CLOSE = { back: ["esc", "q"] };

/** Of a field of many lines. Terminals that tell Shift with Enter apart have that as well. */
const TEXT = { newline: ["alt+enter", "ctrl+j", "shift+enter"], editor: ["ctrl+g"] };

/** Every binding by its screen, with its usual keys. A screen offers those that mean something in its state. */
const SCREENS = {
  app: { help: ["?", "ctrl+o"], palette: [":"], quit: ["ctrl+c"] },
  answer: { ...MOVING, ...BACK, ...TEXT, send: ["enter"] },
  confirm: { ...BACK, yes: ["y"], no: ["n"] },
  create: {
    ...BACK,
    ...TEXT,
    next: ["tab", "down"],
    before: ["shift+tab", "up"],
    enter: ["enter"],
    send: ["ctrl+s"],
    toggle: ["space", "left", "right"],
  },
  diff: { ...MOVING, ...CLOSE, "next-file": ["n"], "previous-file": ["N"], wrap: ["w"] },
  doctor: { ...MOVING, ...CLOSE, again: ["r"] },
  help: { ...MOVING, ...BACK, close: ["?", "q"] },
  home: {
    ...MOVING,
    all: ["esc"],
    clear: ["esc"],
    delete: ["d"],
    doctor: ["D"],
    drive: ["r", "s"],
    filter: ["f"],
    found: ["enter"],
    new: ["n"],
    next: ["tab"],
    open: ["enter"],
    pause: ["p"],
    quit: ["q"],
    search: ["/"],
    "search-up": ["up"],
    "search-down": ["down"],
    "search-pageup": ["pageup"],
    "search-pagedown": ["pagedown"],
    sort: ["o"],
    start: ["s"],
    stop: ["x"],
  },
  loop: {
    ...MOVING,
    ...BACK,
    answer: ["a"],
    cancel: ["esc"],
    copy: ["y"],
    drive: ["r", "s"],
    export: ["e"],
    find: ["enter"],
    follow: ["f"],
    limit: ["l"],
    next: ["n"],
    pane: ["tab"],
    "pane-back": ["shift+tab"],
    pause: ["p"],
    previous: ["N"],
    quit: ["q"],
    receipt: ["v"],
    retry: ["r"],
    search: ["/"],
    square: ["enter"],
    start: ["s"],
    steer: ["i"],
    stop: ["x"],
    tasks: ["t"],
    timeline: ["T"],
    why: ["w"],
    zoom: ["z"],
  },
  menu: {
    ...MOVING,
    ...BACK,
    choose: ["enter"],
    "1": ["1"],
    "2": ["2"],
    "3": ["3"],
    "4": ["4"],
    "5": ["5"],
    "6": ["6"],
  },
  palette: { ...BACK, up: ["up"], down: ["down"], run: ["enter"] },
  prompt: { ...BACK, ...TEXT, send: ["enter"] },
  quit: { ...BACK, pause: ["p"], release: ["l"] },
  receipt: { ...MOVING, ...CLOSE, check: ["c"], square: ["enter"] },
  square: { ...MOVING, ...CLOSE, next: ["tab", "right"], before: ["shift+tab", "left"] },
  steer: { ...BACK, ...TEXT, send: ["enter"] },
  tasks: {
    ...MOVING,
    ...CLOSE,
    add: ["a"],
    earlier: ["K", "shift+up"],
    edit: ["e"],
    generate: ["A"],
    import: ["i"],
    later: ["J", "shift+down"],
    remove: ["d"],
  },
  timeline: {
    ...MOVING,
    ...CLOSE,
    diff: ["enter", "d"],
    fork: ["F"],
    refresh: ["r"],
    rewind: ["R"],
  },
  why: { ...MOVING, ...CLOSE },
} satisfies Record<string, KeyMap>;

type Screens = typeof SCREENS;
type IdOf<S extends keyof Screens> = { [K in S]: `${K}.${keyof Screens[K] & string}` }[S];

/** What a binding is called in the configuration: `loop.pause`. */
export type BindingId = IdOf<keyof Screens>;

/** The screens that have all bindings of these names. */
export type ScreensWith<Name extends string> = {
  [S in keyof Screens]: [Name] extends [keyof Screens[S]] ? S : never;
}[keyof Screens];

/** Every binding that may be given other keys, by its id, with its usual ones. */
export const DEFAULT_KEYS: KeyMap = Object.fromEntries(
  Object.entries(SCREENS).flatMap(([screen, bindings]) =>
    Object.entries(bindings).map(([name, keys]) => [`${screen}.${name}`, keys]),
  ),
);

/** Bindings that have to leave what types to a field. */
export function isUsedWhileTyping(id: string): boolean {
  return /^(answer|create|palette|prompt|steer)\.|^home\.(found|clear|search-)|^loop\.(find|cancel)$/.test(
    id,
  );
}
