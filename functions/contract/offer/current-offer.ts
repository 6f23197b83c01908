import { defaultOffer } from './default-offer.ts';
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
