import { defaultOffer } from '#contract/offer/default-offer.ts';
import { largeModel } from './load.ts';

/**
 * Adds a model for a prompt of 100,000 tokens, at a price by tokens, to the default offer. Import this first: the
 * contract reads the offer when it loads.
 */
const model = defaultOffer.models.find(({ id }) => id === 'svc-1-32k');
if (!model) throw new Error('the default offer has no model for long prompts');
const contextWindow = 131_072;
const rates = { perRequest: 0, input: 2_000_000, cachedInput: 500_000, cacheWrite: 2_000_000, output: 8_000_000 };
const large = { ...model, id: largeModel, contextWindow, maxOutputTokens: contextWindow, price: rates };
process.env['OFFER'] = JSON.stringify({ ...defaultOffer, models: [...defaultOffer.models, large] });
