/** Types that hold a value themselves, and never none: a set is never empty (AWS "AttributeValue"). */
type LeafType = 'S' | 'N' | 'B' | 'BOOL' | 'NULL' | 'SS' | 'NS' | 'BS';

/** A path of DynamoDB's types down to a leaf: `{ L: { M: ['t', 'S'] } }` is a list of maps, each with a text `t`. */
export type TypePath =
  | LeafType
  | { readonly L: TypePath }
  | { readonly M: readonly [attribute: string, type: TypePath] };

/** An attribute of an item, with its type. */
export interface TypedAttribute {
  readonly name: string;
  readonly type: TypePath;
}

const exists = [{ exists: true }] as const;

/** A filter of a Lambda event source (AWS "Filter rule syntax"): where a record has a leaf. */
export interface EventPattern {
  readonly [name: string]: EventPattern | typeof exists;
}

/**
 * The filters of an event source that wants new images with a value of this type in the attribute; one that matches is
 * enough. `exists` matches leaves only, so a filter goes down to one. A list gets a second filter, for an emulation of
 * AWS that takes a list for a leaf; in AWS it matches nothing.
 */
export function eventPatterns({ name, type }: TypedAttribute): readonly EventPattern[] {
  const isList = typeof type === 'object' && 'L' in type;
  const shapes = [...(isList ? [{ L: exists }] : []), patternOf(type)];
  return shapes.map((shape) => ({ dynamodb: { NewImage: { [name]: shape } } }));
}

function patternOf(type: TypePath): EventPattern {
  if (typeof type === 'string') return { [type]: exists };
  if ('L' in type) return { L: patternOf(type.L) };
  const [attribute, inner] = type.M;
  return { M: { [attribute]: patternOf(inner) } };
}
