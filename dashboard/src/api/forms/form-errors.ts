import * as v from 'valibot';
import type { ApiError } from '../http/api-error.ts';

/** Names of fields as the form labels them: by the name of a field, or by the path of a part of it. */
export type Labels = Readonly<Record<string, string>>;
export type FieldErrors = Record<string, string>;

/** A rule of the contract ("must not be empty") as the error at its field. */
function fieldError(label: string, rule: string): string {
  if (rule.startsWith('must not be empty')) return `${label} is required`;
  if (/^must be (?:an email|a valid e-?mail) address/.test(rule)) return 'Enter a valid email address';
  return `${label} ${rule.replace(/\.$/, '')}`;
}

/** What is wrong with the values, by field, from the contract's schema. */
export function schemaErrors(schema: v.GenericSchema, values: unknown, labels: Labels): FieldErrors {
  const read = v.safeParse(schema, values);
  if (read.success) return {};
  const found: FieldErrors = {};
  for (const issue of read.issues) {
    const path = v.getDotPath(issue) ?? '';
    const field = Object.hasOwn(labels, path) ? path : (path.split('.')[0] ?? '');
    const label = labels[field];
    if (label !== undefined) found[field] ??= fieldError(label, issue.message);
  }
  return found;
}

/** The `detail` of a refusal next to its field: it begins with the field's path, followed by the rule. */
export function refusalErrors(error: ApiError, labels: Labels): FieldErrors {
  const [name = '', ...rule] = error.message.split(' ');
  const label = labels[name];
  if (label !== undefined) return { [name]: fieldError(label, rule.join(' ')) };
  const [field = ''] = name.split('.');
  return Object.hasOwn(labels, field) ? { [field]: error.message } : {};
}
