import * as v from 'valibot';
import type { ApiError } from '../http/api-error.ts';

/** Names of fields as the form labels them: by the name of a field, or by the path of a part of it. */
export type Labels = Readonly<Record<string, string>>;
export type FieldErrors = Record<string, string>;

/** A rule of the contract ("must not be empty") as the error at its field. `input` is what broke it, where it is known. */
function fieldError(label: string, rule: string, input?: unknown): string {
  if (Array.isArray(input) && rule.startsWith('must not be empty'))
    return `Choose at least one ${label.toLowerCase().replace(/s$/, '')}`;
  if (input === '' || rule.startsWith('must not be empty')) return `${label} is required`;
  if (rule.startsWith('must be positive')) return `${label} must be at least 1`;
  if (/^must be an? (?:integer|number)/.test(rule) && Number(input) > Number.MAX_SAFE_INTEGER)
    return `${label} is too large`;
  if (rule.startsWith('must be an integer') || (rule === 'must be a number' && typeof input === 'string'))
    return `${label} must be a whole number`;
  if (/^must be (?:an email|a valid e-?mail) address/.test(rule)) return 'Enter a valid email address';
  if (rule.startsWith('must be a full URL')) return 'Enter a full URL, such as https://example.com/hook.';
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
    if (label !== undefined) found[field] ??= fieldError(label, issue.message, issue.input);
  }
  return found;
}

/** What is wrong with the number of a field that may be empty, which means the default. */
export const numberError = (label: string, rule: v.GenericSchema, value: number | string): string | undefined =>
  value === '' ? undefined : schemaErrors(v.object({ value: rule }), { value }, { value: label })['value'];

/** The `detail` of a refusal next to its field: it begins with the field's path, followed by the rule. */
export function refusalErrors(error: ApiError, labels: Labels): FieldErrors {
  const [name = '', ...rule] = error.message.split(' ');
  const label = labels[name];
  if (label !== undefined) return { [name]: fieldError(label, rule.join(' ')) };
  const [field = ''] = name.split('.');
  return Object.hasOwn(labels, field) ? { [field]: error.message } : {};
}
