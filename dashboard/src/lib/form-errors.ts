import * as v from 'valibot';
import type { ApiError } from '../api/api-error.ts';

/** Names of fields as the form labels them. */
export type Labels = Readonly<Record<string, string>>;
export type FieldErrors = Record<string, string>;

const sentence = (label: string, rule: string): string => `${label} ${rule.replace(/\.$/, '')}.`;

/** What is wrong with the values, by field, in the words of the contract's schema. */
export function schemaErrors(schema: v.GenericSchema, values: unknown, labels: Labels): FieldErrors {
  const read = v.safeParse(schema, values);
  if (read.success) return {};
  const found: FieldErrors = {};
  for (const issue of read.issues) {
    const field = v.getDotPath(issue)?.split('.')[0];
    const label = field === undefined ? undefined : labels[field];
    if (field !== undefined && label !== undefined) found[field] ??= sentence(label, issue.message);
  }
  return found;
}

/** The refusal's `detail` next to its field: it begins with the field's name, then says the rule. */
export function refusalErrors(error: ApiError, labels: Labels): FieldErrors {
  const [name = '', ...rule] = error.message.split(' ');
  const label = labels[name];
  return label === undefined ? {} : { [name]: sentence(label, rule.join(' ')) };
}
