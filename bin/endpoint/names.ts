export interface EndpointNames {
  /** File name and operation id, such as `sum-up`. */
  readonly id: string;
  /** Key of the route, such as `sumUp`. */
  readonly camel: string;
  /** Prefix of the schemas, such as `SumUp`. */
  readonly pascal: string;
  /** Such as `Sum up`. */
  readonly sentence: string;
}

export function namesOf(id: string): EndpointNames | undefined {
  if (!/^[a-z][a-z0-9]*(?:-[a-z][a-z0-9]*)*$/.test(id)) return undefined;
  const camel = id.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return { id, camel, pascal: capitalised(camel), sentence: capitalised(id.replaceAll('-', ' ')) };
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
