import { offer } from '../offer/current-offer.ts';
import { defaultOffer, defaultPacks } from '../offer/default-offer.ts';

/** Packs of credits that are sold if the stage accepts payments. Prices in USD. */
export const offeredPacks = offer === defaultOffer ? defaultPacks : offer.packs;
