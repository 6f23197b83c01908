/** What a key's spending limit is counted in: days and months of UTC; `total` never resets. */
export const limitPeriods = ['day', 'month', 'total'] as const;
export type LimitPeriod = (typeof limitPeriods)[number];
