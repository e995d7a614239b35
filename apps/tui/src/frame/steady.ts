/** Characters about whose columns terminals disagree: signs that are not seen themselves, skin tones, keycaps. */
const UNSTEADY = /\p{Default_Ignorable_Code_Point}|[\u{1F3FB}-\u{1F3FF}\u20E3]/u;

/** Signs that are not seen and change the character before them at most; two join letters of many scripts. */
const UNSEEN = /(?![\u200C\u200D])\p{Default_Ignorable_Code_Point}|\u20E3/gu;
const SKIN_TONE = /(?<=\p{Extended_Pictographic})[\u{1F3FB}-\u{1F3FF}]/gu;
const JOINED = /(\p{Extended_Pictographic})(?:\u200D\p{Extended_Pictographic})+/gu;

/**
 * The text with emoji in their plain form, one for a joined row of them. Terminals draw the other forms in one, two or
 * up to eight columns, and a row that is wider than it was measured breaks the frame.
 */
export function plainEmoji(text: string): string {
  if (!UNSTEADY.test(text)) return text;
  return text.replaceAll(UNSEEN, "").replaceAll(SKIN_TONE, "").replaceAll(JOINED, "$1");
}
