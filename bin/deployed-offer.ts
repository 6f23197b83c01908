import { existsSync } from 'node:fs';
import { loadOffer, OfferError } from '#lib/offer.ts';

/** The offer of deployed stages, if it exists. Otherwise they sell the default offer. */
const file = 'offer.json';

/**
 * Puts the offer of deployed stages into force (functions/contract/offer/current-offer.ts). Must be imported first.
 * Ends the process for an invalid file.
 */
try {
  if (existsSync(file)) process.env['OFFER'] = JSON.stringify(loadOffer(file, { isLocal: false }));
} catch (error) {
  if (!(error instanceof OfferError)) throw error;
  console.error(error.message);
  process.exit(2);
}
