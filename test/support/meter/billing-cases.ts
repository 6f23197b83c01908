import { planOfRank } from '#contract/billing/plans.ts';
import type { Meter } from '#domain/meter/meter.ts';

export const at = (text: string): number => Date.parse(text) / 1000;
export const dev = { planId: 'dev_pass', plan: planOfRank(2) };
export const pro = { planId: 'pro_pass', plan: planOfRank(4) };

/** Spends from a meter as settled calls do. */
export const spend = (meter: Meter, amount: number): Meter => ({ ...meter, spendable: meter.spendable - amount });
