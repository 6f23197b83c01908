import type { InferOutput } from 'valibot';
import type { Credits } from '#contract/billing/credits.ts';
import type { CurrentSubscription } from '#contract/billing/subscriptions.ts';
import type { KeyRecord } from '../../api/keys/key-list.ts';
import { isPlaygroundKey } from '../../api/keys/playground-keys.ts';
import { creditCount, formatDay, formatFromNow, formatWhole, isUnlimited } from '../../lib/format.ts';
import { planInSentence, planTitle } from '../../lib/names.ts';

interface Known {
  readonly credits: InferOutput<typeof Credits> | undefined;
  readonly keys: readonly KeyRecord[] | undefined;
  readonly subscription: InferOutput<typeof CurrentSubscription> | undefined;
  readonly now: number;
}

export interface AttentionItem {
  readonly id: string;
  readonly text: string;
  readonly href: string;
  readonly action: string;
  readonly tone: 'info' | 'warning';
}

const soonMs = 7 * 86_400_000;
const low = 0.1;

/** What needs attention, the most urgent first. */
export function attentionItems({ credits, keys, subscription, now }: Known): AttentionItem[] {
  const isSoon = (iso: string): boolean => Date.parse(iso) - now < soonMs && Date.parse(iso) > now;
  const items: (AttentionItem | false | undefined)[] = [
    credits && creditsItem(credits),
    keys &&
      !keys.some((key) => key.status === 'active' && !isPlaygroundKey(key)) && {
        id: 'no-key',
        text: 'You have no active API key.',
        href: '/keys?new',
        action: 'Create API key',
        tone: 'info',
      },
    subscription?.status === 'cancelled' && {
      id: 'cancelled',
      text: `Your ${planTitle(subscription.planId)} subscription is cancelled. Its credits can be spent until ${formatDay(subscription.creditsExpireAt ?? subscription.nextBillingDate)}.`,
      href: '/plans',
      action: 'Choose a plan',
      tone: 'warning',
    },
    subscription?.pendingPlanId !== undefined && {
      id: 'pending',
      text: `From ${formatDay(subscription.nextBillingDate)} you will be on the ${planInSentence(subscription.pendingPlanId)}.`,
      href: '/plans',
      action: 'View plans',
      tone: 'info',
    },
    ...(keys ?? []).map(
      (key): AttentionItem | false =>
        key.status === 'active' &&
        !isPlaygroundKey(key) &&
        key.expiresAt !== null &&
        isSoon(key.expiresAt) && {
          id: key.id,
          text: `The key “${key.name}” expires ${formatFromNow(key.expiresAt, now)}.`,
          href: '/keys',
          action: 'View keys',
          tone: 'warning',
        },
    ),
    ...(credits?.lots ?? []).map(
      (lot): AttentionItem | false =>
        lot.source !== 'free' &&
        lot.remaining > 0 &&
        isSoon(lot.expiresAt) && {
          id: `lot-${lot.source}-${lot.expiresAt}`,
          text: `${creditCount(lot.remaining)} ${formatWhole(lot.remaining) === '1' ? 'expires' : 'expire'} ${formatFromNow(lot.expiresAt, now)}.`,
          href: '/usage',
          action: 'View usage',
          tone: 'info',
        },
    ),
  ];
  return items.filter((item) => item !== false && item !== undefined);
}

function creditsItem({ balance, lots }: InferOutput<typeof Credits>): AttentionItem | undefined {
  const granted = lots.reduce((sum, lot) => sum + lot.granted, 0);
  const plans = { href: '/plans', action: 'View plans', tone: 'warning' } as const;
  if (balance === 0) return { id: 'no-credits', text: "You're out of credits. Calls are rejected.", ...plans };
  if (isUnlimited(balance) || balance >= granted * low) return undefined;
  return {
    id: 'low-credits',
    text: `Only ${creditCount(balance)} ${formatWhole(balance) === '1' ? 'is' : 'are'} left.`,
    ...plans,
  };
}
