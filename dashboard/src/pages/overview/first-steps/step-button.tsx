import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { useConfig } from '../../../api/config.ts';
import { useResend } from '../../../components/account/resend-confirmation.tsx';
import type { StepId } from './steps.ts';

const links = {
  key: { href: '/keys?new', label: 'Create API key' },
  call: { href: '/playground', label: 'Open the playground' },
  plan: { href: '/plans', label: 'Compare plans' },
} as const;

/** Does the step, or leads to where it is done; the next one stands out. */
export function StepButton({ id, isNext }: { id: StepId; isNext: boolean }) {
  const variant = isNext ? 'filled' : 'default';
  if (id === 'confirm') return <ConfirmButton />;
  return (
    <Button component={Link} href={links[id].href} variant={variant}>
      {links[id].label}
    </Button>
  );
}

/** On one machine the email is in its inbox; elsewhere it may have to come again. */
function ConfirmButton() {
  const { local } = useConfig();
  const { run, isRunning } = useResend();
  if (local)
    return (
      <Button component="a" href="/_local/inbox">
        Open local inbox
      </Button>
    );
  return (
    <Button loading={isRunning} onClick={() => void run(undefined)}>
      Resend the email
    </Button>
  );
}
