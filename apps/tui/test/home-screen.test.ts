import { expect, test } from "vitest";
import { ALL, home, LARGE, SMALL, USUAL } from "./support/home.ts";
import { listed } from "./support/listed.ts";
import { Told } from "./support/recorded-loop.ts";
import { fittingFrame, heard, seen } from "./support/seen.tsx";
import { ended } from "./support/some-loops.ts";

test("at 80 by 24 it shows all loops by health, the next step and the selected loop", () => {
  expect(seen(home().model)).toMatchInlineSnapshot(`
    " → tab "Serve it" waits for input: Which port?
     All 6  Waiting 1  Running 2  Failed 1  Resting 2  Damaged 1
        LOOP by health              ACTION   ITER   TESTS     USED          AGE
     Waiting for you 1
    > ? Serve it                    -        0/10   -         ░░░░░░   0 %  2m
     Running 2
      ▸ Port it to Windows          in 1h    0/10   -         ░░░░░░   0 %  1m
      ▸ Fix 購物車 🛒 totals        -        0/10   -         ░░░░░░   0 %  30m
     Failed 1
      ✖ Too much of it of it of it… -        0/10   -         ░░░░░░   0 %  20m
     Resting 2
      ‖ A red title                 -        0/10   -         ░░░░░░   0 %  8m
      ○ Add a flag                  -        0/10   -         ░░░░░░   0 %  3h
     Damaged 1
      ✖ broken  It is not JSON.




    ─ port ─────────────────────────────────────────────────────────────────────────
     running · Waits for input: Which port? · 0 % of the iterations used

     enter open  n new  p pause  x stop  / search  q quit  f filter  o sort  ? help"
  `);
});

test("at 60 by 16 it shows what matters most", () => {
  expect(seen(home(SMALL).press("down", "down").model)).toMatchInlineSnapshot(`
    " → tab "Serve it" waits for input: Which port?
     All 6  ? 1  ▸ 2  ✖ 1  ○ 2  ✖ 1
        LOOP by health                 ITER   TESTS     AGE
     Waiting for you 1
      ? Serve it                       0/10   -         2m
     Running 2
      ▸ Port it to Windows             0/10   -         1m
    > ▸ Fix 購物車 🛒 totals           0/10   -         30m
     Failed 1
      ✖ Too much of it of it of it of… 0/10   -         20m
     Resting 2
    ─ cart ─────────────────────────────────────────────────────
     running · 0 % of the iterations used

     enter open  n new  r drive  p pause  x stop         ? help"
  `);
});

test("at 120 by 40 it shows the status and the tasks, too", () => {
  expect(seen(home(LARGE).model).split("\n").slice(0, 16).join("\n")).toMatchInlineSnapshot(`
    " → tab "Serve it" waits for input: Which port?
     All 6  Waiting 1  Running 2  Failed 1  Resting 2  Damaged 1
        LOOP by health                       STATUS                  ACTION   ITER   TASKS  TESTS     USED          AGE
     Waiting for you 1
    > ? Serve it                             waits for input         -        0/10   0/0    -         ░░░░░░   0 %  2m
     Running 2
      ▸ Port it to Windows                   waits for usage limit   in 1h    0/10   0/0    -         ░░░░░░   0 %  1m
      ▸ Fix 購物車 🛒 totals                 running                 -        0/10   0/0    -         ░░░░░░   0 %  30m
     Failed 1
      ✖ Too much of it of it of it of it of… failed (max_iterations) -        0/10   0/0    -         ░░░░░░   0 %  20m
     Resting 2
      ‖ A red title                          paused                  -        0/10   0/0    -         ░░░░░░   0 %  8m
      ○ Add a flag                           created                 -        0/10   0/0    -         ░░░░░░   0 %  3h
     Damaged 1
      ✖ broken  It is not JSON.
    "
  `);
});

test("without loops it says how to begin", () => {
  expect(seen(home(USUAL, [], []).model).trimEnd()).toMatchInlineSnapshot(`
    " → n Make the first loop
     All 0

      No loops here yet.

      A loop drives one coding agent until your own tests prove that the work is
      done. It never runs away: iterations, time, turns and tokens are bounded.

      n  make the first loop
      D  check whether a loop can work here
      ?  all keys

      Or in a shell: ccw-loop run --auto "TASK"









     n new  / search  q quit  f filter  o sort  D doctor  s start  p pause   ? help"
  `);
});

test("a screen reader is told the same", () => {
  expect(heard(home().model)).toMatchInlineSnapshot(`
    " → tab "Serve it" waits for input: Which port?
    7 of 7 loops, by health.
    Waiting for you: 1
    > Serve it: no action yet, iteration 0 of 10, changed 2m ago, running · Waits for input: Which port? · 0 % of the iterations used
    Running: 2
    - Port it to Windows: no action yet, iteration 0 of 10, changed 1m ago, running · goes on in 1h · Waits for usage limit until 2026-01-22T11:30:00.000Z · 0 % of the iterations used
    - Fix 購物車 🛒 totals: no action yet, iteration 0 of 10, changed 30m ago, running · 0 % of the iterations used
    Failed: 1
    - Too much of it of it of it of it of it of it of it of it of it of it of it of it of it of it of it of it of it of it of it of it of it of it of it of it of it of it of it of it of it of it: no action yet, iteration 0 of 10, changed 20m ago, failed (max_iterations) · 0 % of the iterations used
    Resting: 2
    - A red title: no action yet, iteration 0 of 10, changed 8m ago, paused · 0 % of the iterations used · cart
    - Add a flag: no action yet, iteration 0 of 10, changed 3h ago, created · 0 % of the iterations used
    Damaged: 1
    - broken is damaged: It is not JSON. See: ccw-loop recover broken"
  `);
});

test.each([SMALL, USUAL, LARGE])("no line is longer than $columns columns", (size) => {
  const states = [
    ...ALL,
    ended("no-progress", "np", "漢".repeat(200)),
    ended("debugged", "d", "\u202Eevil"),
  ];
  const told = home(size, states);
  for (const key of ["down", "end", "o", "o", "o", "f", "f", "esc", "/"]) {
    fittingFrame(told.press(key).model);
  }
});

test("while the list is read it says how far", () => {
  const told = new Told(USUAL).tell(listed(ALL, { total: 900, complete: false }));
  expect(seen(told.model)).toContain("reading, 6 of 900");
});
