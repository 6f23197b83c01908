import type { InferOutput } from 'valibot';
import type { LedgerPage } from '#contract/billing/credits.ts';
import { formatDayNear, formatExact } from '../../lib/format.ts';
import { rateText } from '../../lib/model-prices.ts';
import { planTitle, serviceTitle, sourceTitles } from '../../lib/offer.ts';

export type Entry = InferOutput<typeof LedgerPage>['entries'][number];
type Change = NonNullable<Entry['change']>;
type Reason = NonNullable<Entry['reason']>;

/** Returns false for an entry that neither changes the balance nor records an event, such as a failed call. */
export const isTelling = ({ credits, change }: Entry): boolean => credits !== 0 || change !== undefined;

/** Describes the event in a phrase: "Downgrade to Dev Pass scheduled for 25 Dec". */
export function entryText(entry: Entry, now: number): string {
  const { type, service, model, source, change, paymentId } = entry;
  if (change) return changeText(change, now);
  if (paymentId !== undefined && source === 'purchase') return 'Bought credits';
  if (paymentId !== undefined && type === 'adjustment') return takenBackText(entry);
  if (type === 'refund') return refundText(entry);
  if (service !== null) return model === null ? serviceTitle(service) : `${serviceTitle(service)}, ${model}`;
  if (source !== null) return sourceTitles[source];
  return withoutService[type];
}

/** The tokens and rates of a call at a model's own price. */
export function priceNotes({ price, tokens }: Entry): string[] {
  if (!price || !('perRequest' in price)) return [];
  const { input = 0, cached = 0, output = 0 } = tokens ?? {};
  const fromCache = cached > 0 ? ` (${formatExact(cached)} cached)` : '';
  const used = `${formatExact(input)} input${fromCache} and ${formatExact(output)} output tokens`;
  return [...(tokens ? [used] : []), rateText(price)];
}

const takenBackText = ({ credits }: Entry): string =>
  credits < 0 ? 'Taken back, because the payment was returned' : 'Returned, because the payment stands';

/** Entries without a service or a change. Earlier releases did not record changes. */
const withoutService: Readonly<Record<Entry['type'], string>> = {
  grant: '–',
  charge: '–',
  refund: '–',
  expiry: 'Credits expired',
  adjustment: 'Subscription changed',
};

function changeText({ kind, plan, effectiveAt }: Change, now: number): string {
  const title = planTitle(plan);
  const texts: Readonly<Record<Change['kind'], string>> = {
    subscribed: `Subscribed to ${title}`,
    assigned: `${title} assigned`,
    renewed: `${title} renewed`,
    upgraded: `Upgraded to ${title}`,
    downgrade_scheduled: `Downgrade to ${title} scheduled${effectiveAt === undefined ? '' : ` for ${formatDayNear(effectiveAt, now)}`}`,
    downgrade_cancelled: 'Downgrade cancelled',
    downgraded: `Downgraded to ${title}`,
    cancelled: `Subscription to ${title} cancelled`,
    resumed: `Subscription to ${title} resumed`,
    paid: `${title} paid${effectiveAt === undefined ? '' : ` until ${formatDayNear(effectiveAt, now)}`}`,
    payment_due: `Payment for ${title} due`,
    payment_returned: `Payment for ${title} refunded or disputed`,
    ended_unpaid: `${title} ended because it was not paid`,
    ending: `${title} ends${effectiveAt === undefined ? '' : ` on ${formatDayNear(effectiveAt, now)}`}`,
    replaced: `Changed to ${title}`,
  };
  return texts[kind];
}

const singular: Readonly<Record<string, string>> = {
  transcription: 'transcription',
  voice_call: 'voice call',
  sms: 'SMS',
};

function refundText({ service, reason }: Entry): string {
  const what = singular[service ?? ''] ?? serviceTitle(service ?? '');
  const texts: Readonly<Record<Reason, string>> = {
    failed: `${what} failed`,
    expired: `${what} expired`,
    deleted: `${what} deleted`,
    unused: `unused part of a ${what}`,
  };
  return `Refund: ${reason ? texts[reason] : what}`;
}
