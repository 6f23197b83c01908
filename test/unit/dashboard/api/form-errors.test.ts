import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { integer } from '#contract/shared/fields.ts';
import { numberError, refusalErrors, schemaErrors } from '../../../../dashboard/src/api/form-errors.ts';
import { ApiError } from '../../../../dashboard/src/api/response.ts';

it.each([
  ['', undefined],
  [1, undefined],
  [1536, undefined],
  [0, 'Dimensions must be at least 1'],
  [-5, 'Dimensions must be at least 1'],
  [1.5, 'Dimensions must be a whole number'],
  ['-', 'Dimensions must be a whole number'],
  [1537, 'Dimensions must be at most 1536'],
  ['99999999999999999999', 'Dimensions is too large'],
])('an optional number field with the value %j has the error %j', (value, error) => {
  expect(numberError('Dimensions', integer(1, 1536), value)).toBe(error);
});

it('the error for an invalid URL asks for a full URL', () => {
  const refusal = new ApiError('INVALID_FORMAT', 'url must be a full URL, such as https://example.com/hook.');
  expect(refusalErrors(refusal, { url: 'URL' })).toEqual({
    url: 'Enter a full URL, such as https://example.com/hook.',
  });
});

describe('a field error', () => {
  const errorOf = (rule: v.GenericSchema, field: unknown) =>
    schemaErrors(v.object({ field: rule }), { field }, { field: 'Events' })['field'];

  it('is “required” for an empty field, whatever its rule', () => {
    expect(errorOf(integer(1), '')).toBe('Events is required');
    expect(errorOf(v.pipe(v.string(), v.minLength(1, 'must not be empty')), '')).toBe('Events is required');
  });

  it('asks for a choice if the list is empty', () => {
    expect(errorOf(v.pipe(v.array(v.string()), v.minLength(1, 'must not be empty')), [])).toBe(
      'Choose at least one option',
    );
  });
});
