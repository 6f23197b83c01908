import { select, t } from '@lingui/core/macro';
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
  if (paymentId !== undefined && source === 'purchase') return t`Bought credits`;
  if (paymentId !== undefined && type === 'adjustment') return takenBackText(entry);
  if (type === 'refund') return refundText(entry);
  if (service !== null) return model === null ? serviceTitle(service) : `${serviceTitle(service)}, ${model}`;
  if (source !== null) return sourceTitles[source];
  return textWithoutService(type);
}

/** The tokens and rates of a call at a model's own price. */
export function priceNotes({ price, tokens }: Entry): string[] {
  if (!price || !('perRequest' in price)) return [];
  const { input = 0, cached = 0, output = 0 } = tokens ?? {};
  const [sent, reused, replied] = [formatExact(input), formatExact(cached), formatExact(output)];
  const used =
    cached > 0
      ? t`${{ input: sent }} input (${{ cached: reused }} cached) and ${{ output: replied }} output tokens`
      : t`${{ input: sent }} input and ${{ output: replied }} output tokens`;
  return [...(tokens ? [used] : []), rateText(price)];
}

const takenBackText = ({ credits }: Entry): string =>
  credits < 0 ? t`Taken back, because the payment was returned` : t`Returned, because the payment stands`;

/** Entries without a service or a change. Earlier releases did not record changes. */
function textWithoutService(type: Entry['type']): string {
  if (type === 'expiry') return t`Credits expired`;
  return type === 'adjustment' ? t`Subscription changed` : '–';
}

function changeText({ kind, plan: id, effectiveAt }: Change, now: number): string {
  const plan = planTitle(id);
  const day = effectiveAt === undefined ? undefined : formatDayNear(effectiveAt, now);
  const texts: Readonly<Record<Change['kind'], () => string>> = {
    subscribed: () => t`Subscribed to ${plan}`,
    assigned: () => t`${plan} assigned`,
    renewed: () => t`${plan} renewed`,
    upgraded: () => t`Upgraded to ${plan}`,
    downgrade_scheduled: () =>
      day === undefined ? t`Downgrade to ${plan} scheduled` : t`Downgrade to ${plan} scheduled for ${day}`,
    downgrade_cancelled: () => t`Downgrade cancelled`,
    downgraded: () => t`Downgraded to ${plan}`,
    cancelled: () => t`Subscription to ${plan} cancelled`,
    resumed: () => t`Subscription to ${plan} resumed`,
    paid: () => (day === undefined ? t`${plan} paid` : t`${plan} paid until ${day}`),
    payment_due: () => t`Payment for ${plan} due`,
    payment_returned: () => t`Payment for ${plan} refunded or disputed`,
    ended_unpaid: () => t`${plan} ended because it was not paid`,
    ending: () => (day === undefined ? t`${plan} ends` : t`${plan} ends on ${day}`),
    replaced: () => t`Changed to ${plan}`,
  };
  return texts[kind]();
}

function refundText({ service, reason }: Entry): string {
  const [kind, title] = [service ?? '', serviceTitle(service ?? '')];
  const texts: Readonly<Record<Reason, () => string>> = {
    failed: () =>
      select(kind, {
        transcription: 'Refund: transcription failed',
        voice_call: 'Refund: voice call failed',
        sms: 'Refund: SMS failed',
        other: `Refund: ${title} failed`,
      }),
    expired: () => select(kind, { transcription: 'Refund: transcription expired', other: `Refund: ${title} expired` }),
    deleted: () => select(kind, { transcription: 'Refund: transcription deleted', other: `Refund: ${title} deleted` }),
    unused: () =>
      select(kind, {
        transcription: 'Refund: unused part of a transcription',
        voice_call: 'Refund: unused part of a voice call',
        other: `Refund: unused part of a ${title}`,
      }),
  };
  if (reason) return texts[reason]();
  return select(kind, {
    transcription: 'Refund: transcription',
    voice_call: 'Refund: voice call',
    sms: 'Refund: SMS',
    other: `Refund: ${title}`,
  });
}
