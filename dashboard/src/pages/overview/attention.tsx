import { Stack } from '@mantine/core';
import { Link } from 'wouter';
import { useNow } from '../../api/clock.ts';
import { useUnconfirmed } from '../../api/confirmation.ts';
import { useCredits, useKeys, useMe, useSubscription } from '../../api/reads.ts';
import { Notice } from '../../components/notice.tsx';
import { attentionItems } from './attention-items.ts';
import { Unconfirmed } from './unconfirmed.tsx';

/** What needs attention, above everything else; nothing when nothing does. */
export function Attention() {
  const { data: me } = useMe();
  const isUnconfirmed = useUnconfirmed(me?.id);
  const known = {
    credits: useCredits().data,
    keys: useKeys().data,
    subscription: useSubscription().data,
    now: useNow(),
  };
  const items = attentionItems(known).filter(({ id }) => !(isUnconfirmed && id === 'no-key'));
  if (items.length === 0 && !isUnconfirmed) return null;
  return (
    <Stack gap="xs" component="section" aria-label="Alerts">
      {isUnconfirmed && me && <Unconfirmed email={me.email} />}
      {items.map(({ id, text, href, action, tone }) => (
        <Notice key={id} tone={tone} actions={<Link href={href}>{action}</Link>}>
          {text}
        </Notice>
      ))}
    </Stack>
  );
}
