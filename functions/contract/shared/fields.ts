import * as v from 'valibot';

/**
 * Text of so many Unicode code points, as JSON Schema counts them too. Messages are the rule alone; validation puts
 * the field's path before them.
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

/** Epoch ms of the last instant that a year of four digits can name: what is later could be stored, but not shown again. */
export const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const range = 'must be from 1970-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z';

/** Every instant in a request: an ISO 8601 timestamp with a time zone, whose UTC instant a response can show. */
export const timestamp = v.pipe(
  v.string('must be a string'),
  v.isoTimestamp('must be an ISO 8601 timestamp'),
  v.check(isCalendarDate, 'must be a valid calendar date'),
  v.check((value) => isInstant(epochMs(value)), range),
);

/** Every day in a request: an ISO 8601 date. */
export const day = v.pipe(
  v.string('must be a string'),
  v.isoDate('must be a date such as 2027-01-31'),
  v.check(isCalendarDate, 'must be a valid calendar date'),
  v.check((value) => isInstant(Date.parse(value)), 'must be from 1970-01-01 to 9999-12-31'),
);

/** Epoch ms of a `timestamp`, in all the spellings that it may have: `2027-01-31 12:00:00 +01` is one. */
export function epochMs(value: string): number {
  const [date, time] = [value.slice(0, 10), value.slice(11)];
  return Date.parse(`${date}T${time.replace(' ', '').replace(/[+-]\d\d$/, '$&:00')}`);
}

/** Whether a response can show these epoch ms. */
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

/** An account's, user's or balance's id: a random integer that JavaScript holds exactly (docs/accounts.md#ids). */
export const accountId = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

/** An object as JSON knows it: Valibot takes a list for an object without fields. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether there are so many code points, each of which has one or two UTF-16 units. */
function hasCharacters(value: string, min: number): boolean {
  if (value.length < min || value.length >= 2 * min) return value.length >= min;
  let count = 0;
  for (const _ of value) count += 1;
  return count >= min;
}

/** A Date takes 30 February for 2 March. */
function isCalendarDate(value: string): boolean {
  const day = value.slice(0, 10);
  const date = new Date(`${day}T00:00:00Z`);
  return Number.isNaN(date.getTime()) || date.toISOString().startsWith(day);
}

/** What goes on must be UTF-8, which no text with a lone surrogate can be, wherever it is in a value. */
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

/** The product's name and colors for mails and the pages of `npm start`; the dashboard's theme has the same values. */
export const brand = {
  name: 'Text AI platform',
  ink: '#1e1d1a',
  dim: '#69645a',
  line: '#e2ded5',
  page: '#faf9f6',
  card: '#ffffff',
  accent: '#1f7551',
  coin: '#f0b429',
} as const;

/** Whether a text has a character that shows; the blank of Braille is an invisible symbol, the fillers of Hangul are invisible letters. */
export function isVisible(value: string): boolean {
  return /(?![\u2800\p{Default_Ignorable_Code_Point}])[\p{L}\p{N}\p{P}\p{S}]/u.test(value);
}

/** One event of a `text/event-stream`, its data as JSON. */
export const serverSentEvent = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
