import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Group, Input, NativeSelect, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { prices } from '#contract/billing/prices.ts';
import { channels } from '#contract/messages/names.ts';
import { messageRoutes } from '#contract/routes/messages.ts';
import { recall, remember } from '../../api/account-storage.ts';
import { documentOwner } from '../../api/account.ts';
import { useOnce } from '../../api/actions.ts';
import { call } from '../../api/call.ts';
import { useConfig } from '../../api/config.ts';
import { type Form, useApiForm } from '../../api/form.ts';
import { spendingReads } from '../../api/reads.ts';
import { type ApiError, toApiError } from '../../api/response.ts';
import { GetCodeButton } from '../../components/get-code-button.tsx';
import { Icon } from '../../components/icon.tsx';
import { ErrorNotice, Notice, useCountdown } from '../../components/notice.tsx';
import { Panel } from '../../components/page.tsx';
import { creditCount, formatWait } from '../../lib/format.ts';
import { RecipientField, TextField } from './composer-fields.tsx';
import {
  Draft,
  draftLabels,
  draftSchema,
  emptyDraft,
  exampleBody,
  isCallVoice,
  messageBody,
  voiceChoices,
  channelTitle,
  meaningOf,
  type MessageRecord,
  nextTestNumber,
  testDigits,
} from './message.ts';
import { MessageBadge } from './messages-panel.tsx';
import css from './messages.module.css';

interface ComposerProps extends ComposerOptions {
  /** The message sent last from here, in its current state. */
  readonly latest: MessageRecord | undefined;
}

export function Composer({ latest, ...options }: ComposerProps) {
  const { local } = useConfig();
  const { form, submit, isRunning, error } = useComposer(options);
  const { channel } = form.values;
  const isCall = channel === 'voice_call';
  const labels = draftLabels();
  const voices = useMemo(voiceChoices, []);
  const price = creditCount(prices[channel].credits);
  return (
    <Panel
      title={t`New message`}
      aside={
        <GetCodeButton
          request={() => ({ kind: 'message', body: exampleBody(form.values), idempotencyKey: crypto.randomUUID() })}
        />
      }
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {local && <LocalNotice to={form.values.to} onTake={(to) => form.setValues({ to })} />}
          <div className={css.fields}>
            <ChannelField form={form} />
            {isCall && (
              <NativeSelect
                label={labels.voice}
                data={voices}
                {...form.getInputProps('voice')}
                onChange={({ currentTarget: { value } }) => isCallVoice(value) && form.setFieldValue('voice', value)}
              />
            )}
          </div>
          <div className={css.fields}>
            <RecipientField form={form} />
            <TextInput
              label={labels.reference}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              description={t`Your own ID, optional`}
              {...form.getInputProps('reference')}
            />
          </div>
          <TextField form={form} />
          {error && <SendRefusal error={error} onRetry={submit} />}
          <Group gap="md">
            <Button type="submit" loading={isRunning} leftSection={<Icon name="send" />}>
              {isCall ? <Trans>Call now</Trans> : <Trans>Send SMS</Trans>}
            </Button>
            <Text size="sm" c="dimmed">
              {isCall ? <Trans>{price} per call</Trans> : <Trans>{price} per message</Trans>}
            </Text>
            <SentStatus latest={latest} />
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

function ChannelField({ form }: { form: Form<Draft> }) {
  const label = draftLabels().channel;
  return (
    <Input.Wrapper label={label} error={form.errors['channel']} labelElement="div">
      <SegmentedControl
        fullWidth
        aria-label={label}
        data={channels.map((value) => ({ value, label: channelTitle(value) }))}
        value={form.values.channel}
        onChange={(next) => form.setFieldValue('channel', next)}
        data-path="channel"
      />
    </Input.Wrapper>
  );
}

interface LocalNoticeProps {
  /** Recipient typed so far. */
  readonly to: string;
  readonly onTake: (to: string) => void;
}

function LocalNotice({ to, onTake }: LocalNoticeProps) {
  return (
    <Notice
      tone="info"
      actions={
        <>
          <a href="/_local/phone">{t`Open local phone`}</a>
          <Anchor component="button" type="button" onClick={() => onTake(nextTestNumber(to))}>
            <Trans>Use a test number</Trans>
          </Anchor>
        </>
      }
    >
      <Trans>
        Local mode does not send messages. They appear on the local phone. The last two digits of the number set the
        delivery result, whether or not a call is picked up there.
      </Trans>
      <details className={css.numbers}>
        <summary>{t`Test numbers`}</summary>
        <dl>
          {testDigits().map(([digits, end]) => (
            <div key={digits}>
              <dt className="number">{digits}</dt>
              <dd>{end}</dd>
            </div>
          ))}
        </dl>
      </details>
    </Notice>
  );
}

interface ComposerOptions {
  /** Initial values. Defaults to the unsent draft. */
  readonly initial: Draft | undefined;
  /** Called when sending starts, so that the previous result can be hidden. */
  readonly onSending: () => void;
  readonly onSent: (message: MessageRecord) => void;
  /** Called with false if the request did not reach the service. */
  readonly onReached: (isReached: boolean) => void;
}

const messageReads = [messageRoutes.listMessages, ...spendingReads];

/**
 * The unsent draft survives navigation and reload. A retry reuses its idempotency key, so it sends no second message.
 */
function useComposer({ initial, onSending, onSent, onReached }: ComposerOptions) {
  const client = useQueryClient();
  const once = useOnce();
  /** Values of a new draft: the defaults, or the values that remain after sending. */
  const [rest, setRest] = useState<Draft>(emptyDraft);
  const { form, submit, isRunning, error } = useApiForm({
    initial: initial ?? keptDraft(),
    schema: draftSchema,
    labels: draftLabels(),
    act: send,
    onDone: (message, sent) => {
      const left = { ...sent, text: '', reference: '' };
      form.setValues(left);
      setRest(left);
      onSent(message);
    },
    fieldOf: { RECIPIENT_OPTED_OUT: { field: 'to' } },
  });

  async function send(draft: Draft): Promise<MessageRecord> {
    const body = messageBody(draft);
    onSending();
    try {
      const message = await once(body, (key) => call(messageRoutes.sendMessage, { body }, { idempotencyKey: key }));
      onReached(true);
      return message;
    } catch (error) {
      onReached(toApiError(error).status > 0);
      throw error;
    } finally {
      // A message rejected by the carrier is also listed.
      for (const { id } of messageReads) void client.invalidateQueries({ queryKey: [id] });
    }
  }

  const { values } = form;
  // A draft restored while its message is being sent would be sent twice.
  const draft = isRunning || isSame(values, rest) ? emptyDraft : values;
  useEffect(() => keepDraft(draft), [draft]);
  return { form, submit, isRunning, error };
}

const isSame = (one: Draft, other: Draft): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Returns the unsent draft, kept in this tab until the session ends. */
function keptDraft(): Draft {
  const owner = documentOwner();
  return (owner !== undefined && recall(owner, Draft, 'message')) || emptyDraft;
}

function keepDraft(draft: Draft): void {
  const owner = documentOwner();
  if (owner !== undefined) remember(owner, draft, 'message');
}

interface SendRefusalProps {
  readonly error: ApiError;
  readonly onRetry: () => void;
}

function SendRefusal({ error, onRetry }: SendRefusalProps) {
  if (error.code === 'RATE_LIMIT_EXCEEDED') return <TooMany error={error} onRetry={onRetry} />;
  if (error.code === 'INSUFFICIENT_PERMISSIONS')
    return (
      <Notice tone="warning" actions={<Link href="/plans">{t`Compare plans`}</Link>}>
        {error.message}
      </Notice>
    );
  return <ErrorNotice error={error} onRetry={onRetry} />;
}

/** Shows the limit that was exceeded and counts down the wait. */
function TooMany({ error, onRetry }: SendRefusalProps) {
  const wait = useCountdown(error);
  const retry = (
    <Anchor component="button" type="button" onClick={onRetry}>
      <Trans>Retry</Trans>
    </Anchor>
  );
  return (
    <Notice tone="warning" actions={wait === 0 && retry}>
      {error.message.replace(/[;,.] (?:try|retry) again in \d+ s\.?$/i, '.')}{' '}
      {wait > 0 ? t`This message was not sent. Try again in ${{ wait: formatWait(wait) }}.` : t`Try again now.`}
    </Notice>
  );
}

const SentTo = ({ channel, to }: MessageRecord) =>
  channel === 'sms' ? (
    <Trans>
      SMS to <bdi className="number">{to}</bdi>
    </Trans>
  ) : (
    <Trans>
      Voice call to <bdi className="number">{to}</bdi>
    </Trans>
  );

const isTroubled = ({ status }: MessageRecord): boolean =>
  status === 'unknown' || status === 'undelivered' || status === 'failed';

/** Status of the message sent last. A failed message is refunded, so credits are reloaded. */
function SentStatus({ latest }: { latest: MessageRecord | undefined }) {
  const client = useQueryClient();
  const isFailed = latest?.status === 'failed';
  useEffect(() => {
    if (isFailed) for (const { id } of spendingReads) void client.invalidateQueries({ queryKey: [id] });
  }, [client, isFailed]);
  return (
    <Group gap="xs" fz="sm" role="status">
      {latest && (
        <>
          <span>
            <SentTo {...latest} />
          </span>
          <MessageBadge status={latest.status} />
          {isTroubled(latest) && <span>{meaningOf(latest)}</span>}
        </>
      )}
    </Group>
  );
}
