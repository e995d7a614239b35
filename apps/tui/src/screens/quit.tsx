import { firstOf } from "@ccw-loop/core";
import { Box } from "ink";
import { line } from "../components/line.ts";
import { Text } from "../components/text.tsx";
import { useModel } from "../components/use-model.ts";
import type { BindingId } from "../keys/defaults.ts";
import type { Model } from "../model/model.ts";
import type { Screen } from "../model/screen.ts";
import type { QuitState } from "../model/screen-states.ts";
import { asking, backBinding, drivenOn, firstKey } from "./bindings.ts";
import { Sheet } from "./page.tsx";

export const quitScreen: Screen<QuitState> = {
  title: () => "Quit",
  place: "sheet",
  bindings: () => [
    { id: "quit.pause", label: "pause and quit", run: asking({ type: "quit", driven: "pause" }) },
    {
      id: "quit.release",
      label: "leave running and quit",
      run: asking({ type: "quit", driven: "release" }),
    },
    backBinding("quit", "stay"),
  ],
  View: ({ size }) => {
    const model = useModel();
    return (
      <Sheet title="Quit?" size={size}>
        <Text wrap="wrap">{drivenHere(model)}</Text>
        {CHOICES.map(([id, text]) => (
          <Box key={id}>
            <Box width={6} flexShrink={0} justifyContent="flex-end" paddingRight={2}>
              <Text tone="name">{firstKey(id, model.keys)}</Text>
            </Box>
            <Text>{text}</Text>
          </Box>
        ))}
      </Sheet>
    );
  },
  plain: (_, model) => [
    line("Quit?", "warning"),
    line(drivenHere(model)),
    ...CHOICES.map(([id, text]) => line(`${firstKey(id, model.keys)}: ${text}`)),
  ],
};

/** More names than that say nothing new. */
const NAMED = 3;

function drivenHere(model: Model): string {
  const ids = drivenOn(model);
  const names = ids.map((id) => `"${model.loops.rows.get(id)?.title ?? id}"`);
  const what = ids.length === 1 ? "1 loop is" : `${ids.length} loops are`;
  return `${what} driven here: ${firstOf(names, NAMED)}.`;
}

const CHOICES: readonly (readonly [BindingId, string])[] = [
  ["quit.pause", "pause them: they go on when somebody resumes them"],
  ["quit.release", "leave them running: the next supervisor or server takes them up"],
  ["quit.back", "stay here"],
];
