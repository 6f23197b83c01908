import { t } from '@lingui/core/macro';
import * as v from 'valibot';
import type { ApiError } from './response.ts';

/** Labels of form fields, by field name or by path of a part of a field. */
export type Labels = Readonly<Record<string, string>>;
type FieldErrors = Record<string, string>;

/**
 * Converts a rule of the contract ("must not be empty") to the field's error. `input` is the rejected value, if known.
 */
function fieldError(label: string, rule: string, input?: unknown): string {
  if (Array.isArray(input) && rule.startsWith('must not be empty')) return t`Choose at least one option`;
  if (input === '' || rule.startsWith('must not be empty')) return t`${label} is required`;
  if (rule.startsWith('must be positive')) return t`${label} must be at least 1`;
  if (/^must be an? (?:integer|number)/.test(rule) && Number(input) > Number.MAX_SAFE_INTEGER)
    return t`${label} is too large`;
  if (rule.startsWith('must be an integer') || (rule === 'must be a number' && typeof input === 'string'))
    return t`${label} must be a whole number`;
  if (/^must be (?:an email|a valid e-?mail) address/.test(rule)) return t`Enter a valid email address`;
  if (rule.startsWith('must be a full URL')) return t`Enter a full URL, such as https://example.com/hook.`;
  return `${label} ${rule.replace(/\.$/, '')}`;
}

/** Validates values against the contract's schema. Returns the errors by field. */
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

/** Returns the error of an optional number. An empty field means the default. */
export const numberError = (label: string, rule: v.GenericSchema, value: number | string): string | undefined =>
  value === '' ? undefined : schemaErrors(v.object({ value: rule }), { value }, { value: label })['value'];

/** Assigns a refusal to a field: its `detail` begins with the field's path, followed by the rule. */
export function refusalErrors(error: ApiError, labels: Labels): FieldErrors {
  const [name = '', ...rule] = error.message.split(' ');
  const label = labels[name];
  if (label !== undefined) return { [name]: fieldError(label, rule.join(' ')) };
  const [field = ''] = name.split('.');
  return Object.hasOwn(labels, field) ? { [field]: error.message } : {};
}
