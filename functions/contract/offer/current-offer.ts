import { defaultOffer, defaultPacks } from './default-offer.ts';
import type { Offer } from './offer.ts';

/** Defined as a constant in bundles and in the dashboard's build. */
declare const OFFER: string | null | undefined;
/** Browsers have no `process`, and no types for it. */
declare const process: { readonly env: Readonly<Record<string, string | undefined>> };

const given = typeof OFFER === 'undefined' ? process.env['OFFER'] : OFFER;

/**
 * The offer in force, as returned by `readOffer`. Bundles contain it as a constant. `npm start` and the commands of
 * `bin` read it from the environment.
 */
export const offer: Offer = given ? JSON.parse(given) : defaultOffer;

/** Packs of credits that are sold if the stage accepts payments. Prices in USD. */
export const offeredPacks = offer === defaultOffer ? defaultPacks : offer.packs;

/** The packs that are listed with the plans of `GET /subscription/plans`. */
export const packPrices = offeredPacks.map(({ id, credits, priceUsd }) => ({ id, credits, price: priceUsd }));
