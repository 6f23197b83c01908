import { plural, t } from '@lingui/core/macro';
import type { Language } from '#contract/accounts/preferences.ts';
import { dayMs, hourMs, minuteMs } from '#contract/shared/time.ts';
import { language } from './language.ts';

/** English as in Great Britain, and Arabic with Latin digits, which prices and code have too. */
const locales: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de', es: 'es', ja: 'ja', ar: 'ar-u-nu-latn' };
const locale = locales[language];

/** Uses the page's language, never the browser's. */
const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const about = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
const exact = new Intl.NumberFormat(locale, { maximumFractionDigits: 6 });
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
const seconds = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const dollars = new Intl.NumberFormat(language === 'en' ? 'en-US' : locale, {
  style: 'currency',
  currency: 'USD',
  // In Arabic the symbol would be "US$".
  currencyDisplay: language === 'ar' ? 'code' : 'narrowSymbol',
});

const day = { day: 'numeric', month: 'short' } as const;
const time = { hour: '2-digit', minute: '2-digit' } as const;
const year = { year: 'numeric' } as const;
const second = { second: '2-digit' } as const;
const dates = (parts: Intl.DateTimeFormatOptions, name = locale) => new Intl.DateTimeFormat(name, parts);
const dayFormat = dates({ ...day, ...year, timeZone: 'UTC' });
const dayMonthFormat = dates({ ...day, timeZone: 'UTC' });
const timeFormat = dates({ ...day, ...time });
const yearTimeFormat = dates({ ...day, ...year, ...time });
const secondFormat = dates({ ...day, ...time, ...second });
const stampFormat = dates({ ...day, ...year, ...time, ...second });
/** For the texts of the API, which are in English. */
const englishFormat = dates({ ...day, ...year, ...time }, locales.en);
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
const list = new Intl.ListFormat(locale);

/** Shown for an invalid date, on which formatters of `Intl` throw. */
const noDate = '–';

function formatDate(format: Intl.DateTimeFormat, at: number): string {
  return Number.isNaN(at) ? noDate : format.format(at);
}

/** The API's -1, or a grant so large that it stands for no limit (docs/adr/0005-unlimited-plans.md). */
export const isUnlimited = (credits: number): boolean => credits < 0 || credits >= 100_000_000;

export const formatWhole = (value: number): string => (isUnlimited(value) ? t`Unlimited` : whole.format(value));
/** Credits with at most two decimals. */
export const formatAbout = (credits: number): string => (isUnlimited(credits) ? t`Unlimited` : about.format(credits));
/** Credits with up to six decimals, as metered. */
export const formatCredits = (credits: number): string => (isUnlimited(credits) ? t`Unlimited` : exact.format(credits));
/** A number with up to six decimals. Unlike credits, it is never "Unlimited". */
export const formatExact = (value: number): string => exact.format(value);
/** "12K", for narrow places. */
export const formatCompact = (value: number): string => compact.format(value);
export const formatPrice = (usd: number | null): string => {
  if (usd === null) return t`Custom`;
  return usd === 0 ? t`Free` : formatMoney(usd);
};
/** "24%". A share above zero that rounds to it is "<1%". */
export function formatShare(part: number, all: number): string {
  const share = all === 0 ? 0 : Math.round((100 * part) / all) / 100;
  return share === 0 && part > 0 ? `<${percent.format(0.01)}` : percent.format(share);
}
/** In Arabic, isolated from the text around it, which runs from right to left. */
export const formatMoney = (usd: number): string =>
  language === 'ar' ? `\u2066${dollars.format(usd).replace('\u200f', '')}\u2069` : dollars.format(usd);
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
    Number.isNaN(Date.parse(iso)) ? found : `${at ? 'on ' : ''}${formatDate(englishFormat, Date.parse(iso))}`,
  );
/** "640 ms", "1.28 s". */
export const formatDuration = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${seconds.format(ms / 1000)} s`;

const kib = 1024;
const tenths = new Intl.NumberFormat(locale, { maximumFractionDigits: 1, useGrouping: false });

/** "640 bytes", "1.5 KiB", "4 MiB". */
export function formatBytes(bytes: number): string {
  if (bytes < kib) return t`${bytes} bytes`;
  return bytes < kib * kib ? `${tenths.format(bytes / kib)} KiB` : `${tenths.format(bytes / kib / kib)} MiB`;
}

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
  if (!step && difference > 0) return t`in less than a minute`;
  return step ? relative.format(Math.round(difference / step[1]), step[0]) : t`just now`;
}

const waits = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** "28 s", "1 hour". A waiting time, rounded up. */
export function formatWait(seconds: number): string {
  const [unit, length] = waits.find(([, length]) => seconds >= length) ?? [];
  if (!unit) return `${seconds} s`;
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.ceil(seconds / length),
  );
}

/** "1 credit", "2,500 credits", "Unlimited credits". */
export function creditCount(credits: number, format = formatWhole): string {
  const amount = format(credits);
  if (amount === t`Unlimited`) return t`Unlimited credits`;
  // The plural form of the displayed number.
  const shown = amount === '1' ? 1 : Math.abs(credits) === 1 ? 2 : credits;
  return plural(shown, { one: `${amount} credit`, other: `${amount} credits` });
}

/** "keys, agents and webhooks". */
export const formatList = (items: readonly string[]): string => list.format(items);

const separators: Partial<Record<Language, string>> = { ja: '、', ar: '، ' };
/** "2 in, 8 out". */
export const formatItems = (items: readonly string[]): string => items.join(separators[language] ?? ', ');

/** The mark before the cents of an amount. */
export const decimalMark = seconds.formatToParts(0).find(({ type }) => type === 'decimal')?.value ?? '.';

/** A title within a sentence. Nouns of German keep their capital letters. */
export const lowered = (title: string): string => (language === 'de' ? title : title.toLocaleLowerCase(locale));

/** The browser's time zone. Chromium returns `Etc/Unknown` if it finds none. */
export function browserZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return timeZone === 'Etc/Unknown' ? 'UTC' : timeZone;
}

/** The browser's day at a time in epoch ms, as YYYY-MM-DD. */
export function localDay(ms: number): string {
  const date = new Date(ms);
  const part = (value: number, length = 2) => String(value).padStart(length, '0');
  return `${part(date.getFullYear(), 4)}-${part(date.getMonth() + 1)}-${part(date.getDate())}`;
}

/** The first millisecond of a day of the browser's time zone, which may not start at midnight. */
export function startOfDay(day: string): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date).getTime();
}
