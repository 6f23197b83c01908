const maxCharacters = 20_000;
const maxNumbers = 6;

/** JSON indented for people: numbers of vectors after the first few are left out. Text that is no JSON is cut instead. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), shortenVector, 2);
  } catch {
    return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
  }
}

function shortenVector(_: string, value: unknown): unknown {
  if (!Array.isArray(value) || value.length <= maxNumbers || typeof value[0] !== 'number') return value;
  return [...value.slice(0, maxNumbers), `… ${value.length - maxNumbers} more`];
}
