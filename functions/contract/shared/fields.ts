import * as v from 'valibot';

/**
 * Text with a length in Unicode code points, which JSON Schema also counts. Messages contain only the rule; validation
 * prepends the field's path.
 */
export const text = (max: number, min = 1) =>
  v.pipe(
    v.string('must be a string'),
    wellFormed(),
    v.check(
      (value) => hasCharacters(value, min),
      min === 1 ? 'must not be empty' : `must have at least ${min} characters`,
    ),
    v.check((value) => !hasCharacters(value, max + 1), `must have at most ${max} characters`),
    v.metadata({ minLength: min, maxLength: max }),
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

/** Epoch ms of the last time with a four-digit year. Later times could be stored, but not returned. */
export const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const range = 'must be from 1970-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z';

/** A time in a request: an ISO 8601 timestamp with a time zone, whose UTC time has a four-digit year. */
export const timestamp = v.pipe(
  v.string('must be a string'),
  v.isoTimestamp('must be an ISO 8601 timestamp'),
  v.check(isCalendarDate, 'must be a valid calendar date'),
  v.check((value) => isInstant(epochMs(value)), range),
);

/** A day in a request: an ISO 8601 date. */
export const day = v.pipe(
  v.string('must be a string'),
  v.isoDate('must be a date such as 2027-01-31'),
  v.check(isCalendarDate, 'must be a valid calendar date'),
  v.check((value) => isInstant(Date.parse(value)), 'must be from 1970-01-01 to 9999-12-31'),
);

/** The IANA name of a time zone in a request, such as `Europe/Berlin`. */
export const timeZone = v.pipe(
  v.string('must be a string'),
  v.maxLength(64, 'must have at most 64 characters'),
  v.check(isTimeZone, ({ received }) => `must be the IANA name of a time zone such as Europe/Berlin, not ${received}`),
);

/** Excludes offsets such as `+05:30`, which `Intl` also accepts. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

/** Epoch ms of a `timestamp` in any accepted spelling, such as `2027-01-31 12:00:00 +01`. */
export function epochMs(value: string): number {
  const [date, time] = [value.slice(0, 10), value.slice(11)];
  return Date.parse(`${date}T${time.replace(' ', '').replace(/[+-]\d\d$/, '$&:00')}`);
}

/** Returns whether a response can represent these epoch ms. */
export function isInstant(ms: number): boolean {
  return ms >= 0 && ms <= lastInstant;
}

/** A timestamp in a response. */
export const instant = v.pipe(v.string(), v.isoTimestamp());

/** A whole number in a response. */
export const whole = v.pipe(v.number(), v.safeInteger());

/** The `limit` of a list, from a query. */
export const pageSize = v.pipe(
  v.string(),
  v.regex(/^(?:[1-9]\d?|1\d\d|200)$/, 'must be a number from 1 to 200'),
  v.transform(Number),
);

/** Id of an account, user or balance: a random integer that JavaScript represents exactly (docs/accounts.md#ids). */
export const accountId = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

/** Account id in a path or query. */
export const idInText = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,15}$/, 'must be an account id'),
  v.transform(Number),
  v.maxValue(Number.MAX_SAFE_INTEGER, 'must be an account id'),
);

/** Returns whether a text has at least this many code points, each of which has one or two UTF-16 units. */
function hasCharacters(value: string, min: number): boolean {
  if (value.length < min || value.length >= 2 * min) return value.length >= min;
  let count = 0;
  for (const _ of value) count += 1;
  return count >= min;
}

/** Date would convert 30 February to 2 March. */
function isCalendarDate(value: string): boolean {
  const day = value.slice(0, 10);
  const date = new Date(`${day}T00:00:00Z`);
  return Number.isNaN(date.getTime()) || date.toISOString().startsWith(day);
}

/** Forwarded values must be encodable as UTF-8, so no string at any depth may contain a lone surrogate. */
export function wellFormed<Value>() {
  return v.check<Value, string>(isWellFormed, 'must be well-formed Unicode');
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  return Object.keys(value).every(isWellFormed) && Object.values(value).every(isWellFormed);
}

function atLeast(min: number): string {
  return min === 1 ? 'must be positive' : `must be at least ${min}`;
}

/**
 * Returns whether a text has a visible character. The Braille blank is a symbol and the Hangul fillers are letters, but
 * both are invisible.
 */
export function isVisible(value: string): boolean {
  return /(?![\u2800\p{Default_Ignorable_Code_Point}])[\p{L}\p{N}\p{P}\p{S}]/u.test(value);
}

/** An event of a `text/event-stream` with JSON data. */
export const serverSentEvent = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
