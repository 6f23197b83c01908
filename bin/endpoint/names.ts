/** The spellings of a new operation's name. */
export interface EndpointNames {
  /** `sum-up`: file and operation id. */
  readonly id: string;
  /** `sumUp`: key of its row. */
  readonly camel: string;
  /** `SumUp`: beginning of its schemas. */
  readonly pascal: string;
  /** `Sum up`. */
  readonly sentence: string;
}

/** Undefined for a name that is not in kebab-case. */
export function namesOf(id: string): EndpointNames | undefined {
  if (!/^[a-z][a-z0-9]*(?:-[a-z][a-z0-9]*)*$/.test(id)) return undefined;
  const camel = id.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return { id, camel, pascal: capitalised(camel), sentence: capitalised(id.replaceAll('-', ' ')) };
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
