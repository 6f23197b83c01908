import { offeredPacks } from './packs.ts';
import { currency, packMonths, packs } from './payments.ts';

/** The packs of `GET /payments/packs`. */
export const packList = packs.map(({ id, credits, cents }) => {
  return { id, credits, amount: cents, currency, validMonths: packMonths } as const;
});

/** The packs that are listed with the plans of `GET /subscription/plans`. */
export const packPrices = offeredPacks.map(({ id, credits, priceUsd }) => ({ id, credits, price: priceUsd }));
