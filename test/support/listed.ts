/** The words of a text: a long list of words, of which an array would have a line each. */
export const listed = (text: string): string[] => text.trim().split(/\s+/);
