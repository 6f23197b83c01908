const entities: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities.get(character) ?? '');
}

export function unescapeHtml(text: string): string {
  return [...entities].toReversed().reduce((plain, [character, entity]) => plain.replaceAll(entity, character), text);
}
