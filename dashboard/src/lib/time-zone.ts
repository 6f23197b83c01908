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
