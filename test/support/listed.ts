/** Splits a text into words. Replaces arrays that would have one line per word. */
export const listed = (text: string): string[] => text.trim().split(/\s+/);
