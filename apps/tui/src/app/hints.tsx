import { widthOf } from "@ccw-loop/view";
import { Box } from "ink";
import { Text } from "../components/text.tsx";
import { useModel } from "../components/use-model.ts";
import { isTyping, shownKey } from "../keys/keys.ts";
import { topScreen } from "../model/model.ts";
import type { Binding, NamedAction } from "../model/screen.ts";
import { GLOBAL_BINDINGS, keysOf } from "../screens/bindings.ts";
import { idleActions, screenOf, takesText } from "../screens/screens.ts";

/** The keys of the top screen, as many as fit. The way back and the key that shows all of them are always there. */
export function Hints() {
  const model = useModel();
  const top = topScreen(model);
  const keys = (binding: Binding) => keysOf(binding, model.keys);
  const own = screenOf(top)
    .bindings(top, model)
    .filter(({ footer }) => footer !== false);
  const taken = new Set(own.flatMap(keys));
  const everywhere = GLOBAL_BINDINGS.filter(
    (binding) => binding.footer !== false && !keys(binding).some((key) => taken.has(key)),
  );
  const isBack = (binding: Binding) => keys(binding).includes("esc");
  const end = [...own.filter(isBack), ...everywhere];
  const dimmed = idleActions(top, model);
  return (
    <Box height={1} flexShrink={0}>
      <Box height={1} flexGrow={1} flexShrink={1} flexBasis={0} flexWrap="wrap" overflow="hidden">
        {own
          .filter((binding) => !isBack(binding))
          .map((binding) => (
            <Hint key={`${binding.id} ${binding.label}`} binding={binding} />
          ))}
        {dimmed.map((binding) => (
          <Hint key={binding.id} binding={binding} dimmed />
        ))}
      </Box>
      <Box flexShrink={0}>
        {end.map((binding) => (
          <Hint key={binding.id} binding={binding} />
        ))}
      </Box>
    </Box>
  );
}

interface HintProps {
  binding: NamedAction;
  /** It does not apply now. */
  dimmed?: boolean;
}

function Hint({ binding, dimmed = false }: HintProps) {
  const model = useModel();
  const writes = takesText(model);
  // A field takes what would type something.
  const key = keysOf(binding, model.keys).find((name) => !writes || !isTyping(name));
  if (key === undefined || widthOf(key) === 0) return null;
  return (
    <Box flexShrink={0}>
      <Text tone={dimmed ? "quiet" : "name"}>{` ${shownKey(key)}`}</Text>
      <Text tone="quiet">{` ${binding.label} `}</Text>
    </Box>
  );
}
