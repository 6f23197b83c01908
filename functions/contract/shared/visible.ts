/** Whether a text has a character that shows; the blank of Braille is an invisible symbol, the fillers of Hangul are invisible letters. */
export function isVisible(value: string): boolean {
  return /(?![\u2800\p{Default_Ignorable_Code_Point}])[\p{L}\p{N}\p{P}\p{S}]/u.test(value);
}
