import { createContext, use } from "react";
import type { Model } from "../model/model.ts";

export const ModelContext = createContext<Model | null>(null);

/** The one model, from which everything on the screen comes. */
export function useModel(): Model {
  const model = use(ModelContext);
  if (model === null) throw new TypeError("There is no model around this component.");
  return model;
}
