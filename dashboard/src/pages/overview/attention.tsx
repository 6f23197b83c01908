import { Stack } from '@mantine/core';
import type { InferOutput } from 'valibot';
import { Link } from 'wouter';
import type { Credits } from '#contract/billing/credits.ts';
import type { CurrentSubscription } from '#contract/billing/subscriptions.ts';
import { useNow } from '../../api/clock.ts';
import type { KeyRecord } from '../../api/keys/key-list.ts';
import { isPlaygroundKey } from '../../api/keys/playground-keys.ts';
import { useCredits, useKeys, useMe, useSubscription } from '../../api/reads.ts';
import { Notice } from '../../components/feedback/notice.tsx';
import { creditCount, formatDay, formatFromNow, formatWhole, isUnlimited } from '../../lib/format.ts';
import { planInSentence, planTitle } from '../../lib/names.ts';
import { useFirstSteps } from './first-steps.ts';
import { Unconfirmed } from './unconfirmed.tsx';

/** What needs attention, above everything else; nothing when nothing does. */
export function Attention() {
  const { data: me } = useMe();
  const { state } = useFirstSteps();
  const isUnconfirmed = me?.isConfirmed === false;
  const known = {
    credits: useCredits().data,
    keys: useKeys().data,
    subscription: useSubscription().data,
    now: useNow(),
  };
  // The first steps have these, as long as they are shown.
  const hasNoSteps = state === 'hidden';
  const items = attentionItems(known).filter(({ id }) => id !== 'no-key' || (hasNoSteps && !isUnconfirmed));
  if (items.length === 0 && !(isUnconfirmed && hasNoSteps)) return null;
  return (
    <Stack gap="xs" component="section" aria-label="Alerts">
      {isUnconfirmed && hasNoSteps && <Unconfirmed email={me.email} />}
      {items.map(({ id, text, href, action, tone }) => (
        <Notice key={id} tone={tone} actions={<Link href={href}>{action}</Link>}>
          {text}
        </Notice>
      ))}
    </Stack>
  );
}

interface Known {
  readonly credits: InferOutput<typeof Credits> | undefined;
  readonly keys: readonly KeyRecord[] | undefined;
  readonly subscription: InferOutput<typeof CurrentSubscription> | undefined;
  readonly now: number;
}

interface AttentionItem {
  readonly id: string;
  readonly text: string;
  readonly href: string;
  readonly action: string;
  readonly tone: 'info' | 'warning';
}

const soonMs = 7 * 86_400_000;
const low = 0.1;

/** What needs attention, the most urgent first. */
function attentionItems({ credits, keys, subscription, now }: Known): AttentionItem[] {
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
