import type { Page } from "playwright-core";
import { expect, vi } from "vitest";
import { PATIENCE } from "./server.ts";

export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** Chooses from the question and answers; nothing is chosen before. */
export async function answer(page: Page, choice: RegExp): Promise<void> {
  const question = page.getByRole("region", { name: "What next?" });
  await question.getByRole("radio", { name: choice }).waitFor(PATIENCE);
  // The question before stays until the loop goes on.
  const chosen = question.getByRole("radio", { checked: true });
  await vi.waitFor(async () => expect(await chosen.count()).toBe(0), PATIENCE);
  await question.getByRole("radio", { name: choice }).check();
  await question.getByRole("button", { name: "Answer" }).click();
}

/** Confirms what a dialog says will happen. */
export async function confirm(page: Page, verb: string, effect: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByText(effect).waitFor();
  await dialog.getByRole("button", { name: verb, exact: true }).click();
  await dialog.waitFor({ state: "hidden", ...PATIENCE });
}
