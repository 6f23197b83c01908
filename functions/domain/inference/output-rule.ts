import { isJsonObject, parseJson } from '#contract/shared/json.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { Proof } from './order.ts';

/** The form of a reply that a caller requests. `path`: the field of the schema, for errors. */
export type OutputRule =
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema';
      readonly name: string;
      readonly description?: string | null | undefined;
      readonly schema: Readonly<Record<string, unknown>>;
      readonly strict?: boolean | null | undefined;
      readonly path: string;
    };

/**
 * The reason why a text does not fit. Undefined if it fits. `violation` contains names from the text, so it must not be
 * in the error of a reply that is neither delivered nor charged.
 */
export type Mismatch =
  | { readonly problem: string; readonly violation?: string; readonly isUnchecked?: true }
  | undefined;

export type OutputCheck = (text: string) => Mismatch;

/** Returns the check of a reply. Throws 400 if the validator cannot read the schema. */
export async function outputCheck(rule: OutputRule, prove: Proof): Promise<OutputCheck> {
  if (rule.type === 'json_object') return objectMismatch;
  // Verify the key first, because parsing a schema costs more.
  await prove();
  const { schemaCheck, UnreadableSchema } = await import('./json-schema.ts');
  try {
    return schemaCheck(rule.schema);
  } catch (error) {
    if (!(error instanceof UnreadableSchema)) throw error;
    const { path } = rule;
    throw new ServiceError('INVALID_FORMAT', `${path} ${error.message}.`, { field: { path, isMissing: false } });
  }
}

function objectMismatch(text: string): Mismatch {
  const value = parseJson(text);
  if (isJsonObject(value)) return undefined;
  return { problem: value === undefined ? 'it is not JSON' : 'it is not a JSON object' };
}

/** The field `response_format` of a request to a model. */
export function responseFormat(rule: OutputRule): object {
  if (rule.type === 'json_object') return { type: 'json_object' };
  const { type, path: _, ...json_schema } = rule;
  return { type, json_schema };
}

/** The model has already been called twice. */
export const mismatchError = ({ problem }: { readonly problem: string }): ServiceError =>
  new ServiceError('MODEL_ERROR', `The model's response does not fit the requested format: ${problem}.`, {
    isLasting: true,
    isMismatch: true,
  });
