import { defaultOffer } from './default-offer.ts';
import type { Offer } from './offer.ts';

/** A constant of bundles and of the dashboard's build. */
declare const OFFER: string | null | undefined;
/** Browsers have none, and no types for it. */
declare const process: { readonly env: Readonly<Record<string, string | undefined>> };

const given = typeof OFFER === 'undefined' ? process.env['OFFER'] : OFFER;

/**
 * The offer in force: the JSON of an offer that `readOffer` returned. Bundles have it as a constant; `npm start` and
 * the commands of `bin` take it from the environment.
 */
export const offer: Offer = given ? JSON.parse(given) : defaultOffer;
