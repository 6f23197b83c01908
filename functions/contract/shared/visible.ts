/** Whether a text has a character that shows; the blank of Braille is an invisible symbol. */
export function isVisible(value: string): boolean {
  return /(?!\u2800)[\p{L}\p{N}\p{P}\p{S}]/u.test(value);
}
