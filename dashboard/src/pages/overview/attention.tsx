import { Stack } from '@mantine/core';
import { Link } from 'wouter';
import { useNow } from '../../api/clock.ts';
import { useCredits, useKeys, useMe, useSubscription } from '../../api/reads.ts';
import { Notice } from '../../components/feedback/notice.tsx';
import { attentionItems } from './attention-items.ts';
import { useFirstSteps } from './first-steps/use-first-steps.ts';
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
