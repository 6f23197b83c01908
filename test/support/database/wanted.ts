import type { Projection } from '#repositories/shared/item-reader.ts';

/** The whole of an item, as far as a test knows its attributes. */
export const wanting = (names: Iterable<string>, dictionaries: Iterable<string> = []): Projection => ({
  attributes: new Set(names),
  dictionaries: new Set(dictionaries),
});
