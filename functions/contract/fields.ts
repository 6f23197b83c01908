import * as v from 'valibot';

/** Messages are the rule alone; validation puts the field's path before them. */
export const text = (max: number, min = 1) =>
  v.pipe(
    v.string('must be a string'),
    v.check(isWellFormed, 'must be well-formed Unicode'),
    v.minLength(min, min === 1 ? 'must not be empty' : `must have at least ${min} characters`),
    v.maxLength(max, `must have at most ${max} characters`),
  );

export const integer = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  v.pipe(
    v.number('must be a number'),
    v.safeInteger('must be an integer'),
    v.minValue(min, atLeast(min)),
    v.maxValue(max, `must be at most ${max}`),
  );

export const decimal = (min: number, max: number) =>
  v.pipe(
    v.number('must be a number'),
    v.finite('must be finite'),
    v.minValue(min, atLeast(min)),
    v.maxValue(max, `must be at most ${max}`),
  );

/** An ISO 8601 timestamp with a time zone. */
export const timestamp = v.pipe(v.string('must be a string'), v.isoTimestamp('must be an ISO 8601 timestamp'));

/** A timestamp in an answer. */
export const instant = v.pipe(v.string(), v.isoTimestamp());

/** An account's, user's or balance's id: a random integer that JavaScript holds exactly (design section 3, "Ids"). */
export const accountId = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

export const email = v.pipe(text(254), v.email('must be an e-mail address'));

/** An object as JSON knows it: Valibot takes a list for an object without fields. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isWellFormed(value: string): boolean {
  return value.isWellFormed();
}

function atLeast(min: number): string {
  return min === 1 ? 'must be positive' : `must be at least ${min}`;
}
