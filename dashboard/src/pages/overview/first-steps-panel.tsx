import { i18n } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Anchor, Button, Group, Progress, Text, Tooltip, VisuallyHidden, Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useConfig } from '../../api/config.ts';
import { isPlaygroundKey } from '../../api/keys.ts';
import { useKeys, useMe } from '../../api/reads.ts';
import { CodeBlock } from '../../components/copy.tsx';
import { ResendConfirmation, useResend } from '../../components/emails.tsx';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/page.tsx';
import { firstCalls } from '../../lib/code/first-calls.ts';
import { rescueFocus } from '../../lib/focus.ts';
import { useQueryChoice } from '../../lib/hooks.ts';
import { freePlanText } from '../../lib/offer.ts';
import type { FirstSteps, StepId } from './first-steps.ts';
import css from './overview.module.css';

interface StepTexts {
  readonly title: string;
  readonly text: ReactNode;
  readonly more?: ReactNode;
}

const textsOf = (): Readonly<Record<StepId, StepTexts>> => ({
  confirm: { title: t`Confirm your email`, text: <ConfirmText /> },
  key: { title: t`Create an API key`, text: t`Your programs use it to call the API.` },
  call: {
    title: t`Make your first call`,
    text: t`From your own program, or in the playground.`,
    more: <FirstCall />,
  },
  plan: {
    title: t`Choose a plan`,
    text: `${freePlanText()} ${t`Larger plans have more, and their unused credits roll over.`}`,
  },
});

export default function FirstStepsPanel({ steps, done, dismiss }: Omit<FirstSteps, 'state'>) {
  const next = steps.find((id) => !done.has(id));

  function hide(): void {
    dismiss();
    rescueFocus();
  }

  return (
    <Panel
      title={t`First steps`}
      aside={
        <Group gap="xs">
          <Text size="sm" c="dimmed" className="number">
            <Trans>
              {{ finished: done.size }} of {{ all: steps.length }} done
            </Trans>
          </Text>
          <Tooltip label={t`Dismiss`}>
            <ActionIcon variant="subtle" color="gray" aria-label={t`Dismiss first steps`} onClick={hide}>
              <Icon name="close" />
            </ActionIcon>
          </Tooltip>
        </Group>
      }
    >
      <Progress value={(100 * done.size) / steps.length} size={6} mb="md" aria-label={t`First steps done`} />
      <ol className={css.steps}>
        {steps.map((id) => (
          <Step key={id} id={id} isDone={done.has(id)} isNext={id === next} />
        ))}
      </ol>
    </Panel>
  );
}

function Step({ id, isDone, isNext }: { id: StepId; isDone: boolean; isNext: boolean }) {
  const { title, text, more } = textsOf()[id];
  return (
    <li className={css.step} aria-current={isNext ? 'step' : undefined}>
      <span className={isDone ? css.tick : css.open}>{isDone && <Icon name="check" size={14} />}</span>
      <div>
        <Text fw={600} {...(isDone && { c: 'dimmed' })}>
          {title}
          {isDone && (
            <VisuallyHidden>
              {' '}
              <Trans>(done)</Trans>
            </VisuallyHidden>
          )}
        </Text>
        {!isDone && (
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        )}
      </div>
      {!isDone && <StepButton id={id} isNext={isNext} />}
      {!isDone && more && <div className={css.more}>{more}</div>}
    </li>
  );
}

/** In local mode the step's button opens the inbox, so the link to resend the email is here. */
function ConfirmText() {
  const { local } = useConfig();
  const { data: me } = useMe();
  const email = me?.email;
  return local ? (
    <Trans>
      Required for API keys and plans. Open the link sent to {email}, or <ResendConfirmation />.
    </Trans>
  ) : (
    <Trans>Required for API keys and plans. Open the link sent to {email}.</Trans>
  );
}

const links = {
  key: { href: '/keys?new', label: msg`Create API key` },
  call: { href: '/playground', label: msg`Open the playground` },
  plan: { href: '/plans', label: msg`Compare plans` },
} as const;

function StepButton({ id, isNext }: { id: StepId; isNext: boolean }) {
  const variant = isNext ? 'filled' : 'default';
  if (id === 'confirm') return <ConfirmButton />;
  return (
    <Button component={Link} href={links[id].href} variant={variant}>
      {i18n._(links[id].label)}
    </Button>
  );
}

function ConfirmButton() {
  const { local } = useConfig();
  const { run, isRunning } = useResend();
  if (local)
    return (
      <Button component="a" href="/_local/inbox">
        <Trans>Open local inbox</Trans>
      </Button>
    );
  return (
    <Button loading={isRunning} onClick={() => void run(undefined)}>
      <Trans>Resend the email</Trans>
    </Button>
  );
}

/** Snippets of a first call. Only the prefix of the key is known, since keys are shown once. */
function FirstCall() {
  const { data: keys } = useKeys();
  const [language, setLanguage] = useQueryChoice('language', ['curl', 'javascript', 'python', 'openai', 'anthropic']);
  const key = keys?.find((one) => one.status === 'active' && !isPlaygroundKey(one));
  if (!key) return null;
  const { name } = key;
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        <Trans>
          Replace the value of API_KEY with your key “<bdi>{name}</bdi>”. Lost it?{' '}
          <Anchor component={Link} href="/keys" inherit underline="always">
            Rotate it
          </Anchor>
          .
        </Trans>
      </Text>
      <Tabs value={language} onChange={setLanguage} variant="pills" keepMounted={false}>
        <Tabs.List mb="sm" aria-label={t`Language`}>
          {firstCalls('', '').map(({ id, title }) => (
            <Tabs.Tab key={id} value={id}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {firstCalls(window.location.origin, `${key.prefix}…`).map(({ id, title, code }) => (
          <Tabs.Panel key={id} value={id}>
            <CodeBlock code={code} what={t`${title} snippet`} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}
