import { Stack } from '@mantine/core';
import type { InferOutput } from 'valibot';
import { Link } from 'wouter';
import type { Credits } from '#contract/billing/credits.ts';
import type { CurrentSubscription } from '#contract/billing/subscriptions.ts';
import { useNow, useSellsCredits } from '../../api/config.ts';
import { isPlaygroundKey, type KeyRecord } from '../../api/keys.ts';
import { useCredits, useKeys, useMe, useSubscription } from '../../api/reads.ts';
import { Unconfirmed } from '../../components/emails.tsx';
import { Notice } from '../../components/notice.tsx';
import { creditCount, formatDay, formatFromNow, formatWhole, isUnlimited } from '../../lib/format.ts';
import { planInSentence, planTitle } from '../../lib/names.ts';
import { endOf, pastDueText } from '../plans/plan.ts';

export function Attention({ hasNoSteps }: { hasNoSteps: boolean }) {
  const { data: me } = useMe();
  const isUnconfirmed = me?.isConfirmed === false;
  const known = {
    credits: useCredits().data,
    keys: useKeys().data,
    subscription: useSubscription().data,
    sellsCredits: useSellsCredits(),
    now: useNow(),
  };
  // The first steps panel shows these while it is visible.
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
  readonly sellsCredits: boolean;
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

/** Returns the notices for the user, most urgent first. */
function attentionItems({ credits, keys, subscription, sellsCredits, now }: Known): AttentionItem[] {
  const isSoon = (iso: string): boolean => Date.parse(iso) - now < soonMs && Date.parse(iso) > now;
  const items: AttentionItem[] = [];
  const activeKeys = keys?.filter((key) => key.status === 'active' && !isPlaygroundKey(key));
  const unpaid = subscription && pastDueText(subscription);
  if (unpaid !== null && unpaid !== undefined)
    items.push({ id: 'past-due', text: unpaid, href: '/billing', action: 'View billing', tone: 'warning' });
  if (credits) items.push(...creditsItems(credits, sellsCredits));
  if (activeKeys?.length === 0)
    items.push({
      id: 'no-key',
      text: 'You have no active API key.',
      href: '/keys?new',
      action: 'Create API key',
      tone: 'info',
    });
  if (subscription?.status === 'cancelled')
    items.push({
      id: 'cancelled',
      text: `Your ${planTitle(subscription.planId)} subscription is cancelled. Its credits can be spent until ${formatDay(subscription.creditsExpireAt ?? subscription.nextBillingDate)}.`,
      href: '/plans',
      action: 'Choose a plan',
      tone: 'warning',
    });
  if (subscription?.pendingPlanId !== undefined && endOf(subscription) === undefined)
    items.push({
      id: 'pending',
      text: `From ${formatDay(subscription.nextBillingDate)} you will be on the ${planInSentence(subscription.pendingPlanId)}.`,
      href: '/plans',
      action: 'View plans',
      tone: 'info',
    });
  for (const { id, name, expiresAt } of activeKeys ?? [])
    if (expiresAt !== null && isSoon(expiresAt))
      items.push({
        id,
        text: `The key “${name}” expires ${formatFromNow(expiresAt, now)}.`,
        href: '/keys',
        action: 'View keys',
        tone: 'warning',
      });
  for (const { source, remaining, expiresAt } of credits?.lots ?? [])
    if (source !== 'free' && remaining > 0 && isSoon(expiresAt))
      items.push({
        id: `lot-${source}-${expiresAt}`,
        text: `${creditCount(remaining)} ${formatWhole(remaining) === '1' ? 'expires' : 'expire'} ${formatFromNow(expiresAt, now)}.`,
        href: '/usage',
        action: 'View usage',
        tone: 'info',
      });
  return items;
}

function creditsItems({ balance, lots }: InferOutput<typeof Credits>, sellsCredits: boolean): AttentionItem[] {
  const plans = {
    ...(sellsCredits ? { href: '/billing', action: 'Buy credits' } : { href: '/plans', action: 'View plans' }),
    tone: 'warning',
  } as const;
  if (balance === 0) return [{ id: 'no-credits', text: "You're out of credits. Calls are rejected.", ...plans }];
  const granted = lots.reduce((sum, lot) => sum + lot.granted, 0);
  if (isUnlimited(balance) || balance >= granted * low) return [];
  const verb = formatWhole(balance) === '1' ? 'is' : 'are';
  return [{ id: 'low-credits', text: `Only ${creditCount(balance)} ${verb} left.`, ...plans }];
}
