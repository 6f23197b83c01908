import { dayMs, hourMs, minuteMs } from '#contract/shared/time.ts';

/** Uses the page's language, never the browser's. */
const whole = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });
const about = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 2 });
const exact = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 6 });
const compact = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 });
const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const dayFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});
const dayMonthFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const timeFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const yearTimeFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const secondFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const stampFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** Shown for an invalid date, on which formatters of `Intl` throw. */
const noDate = '–';

function formatDate(format: Intl.DateTimeFormat, at: number): string {
  return Number.isNaN(at) ? noDate : format.format(at);
}

/** The API's -1, or a grant so large that it stands for no limit (docs/adr/0005-unlimited-plans.md). */
export const isUnlimited = (credits: number): boolean => credits < 0 || credits >= 100_000_000;

export const formatWhole = (value: number): string => (isUnlimited(value) ? 'Unlimited' : whole.format(value));
/** Credits with at most two decimals. */
export const formatAbout = (credits: number): string => (isUnlimited(credits) ? 'Unlimited' : about.format(credits));
/** Credits with up to six decimals, as metered. */
export const formatCredits = (credits: number): string => (isUnlimited(credits) ? 'Unlimited' : exact.format(credits));
/** A number with up to six decimals. Unlike credits, it is never "Unlimited". */
export const formatExact = (value: number): string => exact.format(value);
/** "12K", for narrow places. */
export const formatCompact = (value: number): string => compact.format(value);
export const formatPrice = (usd: number | null): string => {
  if (usd === null) return 'Custom';
  return usd === 0 ? 'Free' : dollars.format(usd);
};
/** "24%". A share above zero that rounds to it is "<1%". */
export function formatShare(part: number, all: number): string {
  const percent = all === 0 ? 0 : Math.round((100 * part) / all);
  return percent === 0 && part > 0 ? '<1%' : `${percent}%`;
}
export const formatMoney = (usd: number): string => dollars.format(usd);
export const formatCents = (cents: number): string => formatMoney(cents / 100);
/** A UTC day, which billing uses. */
export const formatDay = (iso: string): string => formatDate(dayFormat, Date.parse(iso));
/** Formats a UTC day, without the year if it is the current one. */
export function formatDayNear(iso: string, now: number): string {
  const isThisYear = new Date(iso).getUTCFullYear() === new Date(now).getUTCFullYear();
  return formatDate(isThisYear ? dayMonthFormat : dayFormat, Date.parse(iso));
}
/** A UTC day without its year. */
export const formatDayMonth = (iso: string): string => formatDate(dayMonthFormat, Date.parse(iso));
export const formatMoment = (iso: string): string => formatDate(timeFormat, Date.parse(iso));
/** A local time, without the year if it is the current one. */
export function formatPast(iso: string, now: number): string {
  const isThisYear = new Date(iso).getFullYear() === new Date(now).getFullYear();
  return formatDate(isThisYear ? timeFormat : yearTimeFormat, Date.parse(iso));
}
/** A local time with seconds, without the year. */
export const formatSecond = (iso: string): string => formatDate(secondFormat, Date.parse(iso));
/** A local time with seconds and the year. */
export const formatStamp = (iso: string): string => formatDate(stampFormat, Date.parse(iso));
/**
 * Replaces the timestamps in a text of the API with local times: "resets at 2026-12-01T00:00:00.000Z" becomes "resets
 * on 1 Dec 2026, 00:00".
 */
export const formatTimestamps = (text: string): string =>
  text.replaceAll(/\b(at )?(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))/g, (found, at, iso) =>
    Number.isNaN(Date.parse(iso)) ? found : `${at ? 'on ' : ''}${formatDate(yearTimeFormat, Date.parse(iso))}`,
  );
/** "640 ms", "1.28 s". */
export const formatDuration = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;

const kib = 1024;

/** "640 bytes", "1.5 KiB", "4 MiB". */
export function formatBytes(bytes: number): string {
  if (bytes < kib) return `${bytes} bytes`;
  return bytes < kib * kib ? `${rounded(bytes / kib)} KiB` : `${rounded(bytes / kib / kib)} MiB`;
}

const rounded = (value: number): number => Number(value.toFixed(1));

const steps = [
  ['day', dayMs],
  ['hour', hourMs],
  ['minute', minuteMs],
] as const;

/** "in 12 days", "3 hours ago". */
export function formatFromNow(iso: string, now: number): string {
  const difference = Date.parse(iso) - now;
  if (Number.isNaN(difference)) return noDate;
  const step = steps.find(([, ms]) => Math.abs(difference) >= ms);
  if (!step && difference > 0) return 'in less than a minute';
  return step ? relative.format(Math.round(difference / step[1]), step[0]) : 'just now';
}

const waits = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** "28 s", "1 hour". A waiting time, rounded up. */
export function formatWait(seconds: number): string {
  const [unit, length] = waits.find(([, length]) => seconds >= length) ?? [];
  return unit ? count(Math.ceil(seconds / length), unit) : `${seconds} s`;
}

export const count = (value: number, one: string, many = `${one}s`): string =>
  `${whole.format(value)} ${value === 1 ? one : many}`;

/** "1 credit", "2,500 credits", "Unlimited credits". */
export const creditCount = (credits: number, format = formatWhole): string =>
  `${format(credits)} ${format(credits) === '1' ? 'credit' : 'credits'}`;
