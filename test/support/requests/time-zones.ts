/** Every time zone of this Node. */
export const zones = Intl.supportedValuesOf('timeZone');

const formats = new Map<string, Intl.DateTimeFormat>();

/** The day of a time zone that contains a time in epoch ms, by `Intl`. */
export function localDay(zone: string, ms: number): string {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-US', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
  formats.set(zone, format);
  const [month, day, year] = format.format(ms).split('/');
  return `${year}-${month}-${day}`;
}
