export interface Resource {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly UpdatePolicy?: object;
  readonly DependsOn?: readonly string[];
  readonly Metadata: Record<string, unknown>;
}

export type Resources = Readonly<Record<string, Resource>>;
export type Outputs = Readonly<
  Record<string, { readonly Value: unknown; readonly Export?: { readonly Name: string } }>
>;

export interface OwnTemplate {
  readonly Resources: Resources;
  readonly Outputs?: Outputs;
}

/** A stack merged with its nested stacks, with the parameters between them resolved. */
export interface Whole {
  readonly resources: Resources;
  readonly outputs: Outputs;
}

/** A nested stack: the logical id of its resource in the parent. */
export interface Part {
  readonly id: string;
  readonly whole: Whole;
}

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
type Values = Readonly<Record<string, Json>>;

/** Merges a stack's own template and its nested stacks. */
export function joined(own: OwnTemplate, parts: readonly Part[]): Whole {
  const parametersOf = ({ id }: Part) => (own.Resources[id]?.Properties['Parameters'] ?? {}) as Values;

  function outputOf(nested: unknown, attribute: string): Json {
    const part = parts.find(({ id }) => id === nested);
    if (!part) throw new Error(`${String(nested)} is not a nested stack`);
    const output = part.whole.outputs[attribute.replace(/^Outputs\./, '')];
    return filled(output?.Value as Json, parametersOf(part));
  }

  function filled(value: Json, parameters: Values): Json {
    if (Array.isArray(value)) return value.map((item: Json) => filled(item, parameters));
    if (value === null || typeof value !== 'object') return value;
    const { Ref, 'Fn::GetAtt': attribute } = value as Values;
    if (typeof Ref === 'string' && Ref in parameters) return filled(parameters[Ref]!, {});
    if (Array.isArray(attribute) && String(attribute[1]).startsWith('Outputs.')) {
      return outputOf(attribute[0], String(attribute[1]));
    }
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filled(inner, parameters)]));
  }

  const inner = parts.map((part) => filled(part.whole.resources as unknown as Json, parametersOf(part)));
  const resources = Object.assign({}, filled(own.Resources as unknown as Json, {}), ...inner) as Resources;
  return { resources, outputs: filled((own.Outputs ?? {}) as unknown as Json, {}) as unknown as Outputs };
}
