import { Button, Group, Input, NativeSelect, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { prices } from '#contract/billing/prices.ts';
import { channels } from '#contract/messages/channels.ts';
import { messageRoutes } from '#contract/routes/messages.ts';
import { call } from '../../../api/call.ts';
import { useConfig } from '../../../api/config.ts';
import { spendingReads } from '../../../api/reads.ts';
import { useApiForm } from '../../../api/use-api-form.ts';
import { useOnce } from '../../../api/use-once.ts';
import { Icon } from '../../../components/elements/icon.tsx';
import { Panel } from '../../../components/layout/panel.tsx';
import { creditCount } from '../../../lib/format.ts';
import type { Form } from '../../../lib/use-form.ts';
import { GetCodeButton } from '../../playground/code/get-code-button.tsx';
import { channelTitles, type MessageRecord } from '../message.tsx';
import css from '../messages.module.css';
import { type Draft, draftLabels, draftSchema, emptyDraft, messageBody } from './draft.ts';
import { LocalNotice } from './local-notice.tsx';
import { RecipientField } from './recipient-field.tsx';
import { SendRefusal } from './send-refusal.tsx';
import { SentStatus } from './sent-status.tsx';
import { TextField } from './text-field.tsx';
import { isCallVoice, voiceChoices } from './voices.ts';

const channelChoices = channels.map((value) => ({ value, label: channelTitles[value] }));

interface ComposerProps {
  /** The last one that was sent from here, as it is now. */
  readonly latest: MessageRecord | undefined;
  readonly onSent: (message: MessageRecord) => void;
}

/** What sending changes. */
const messageReads = [messageRoutes.listMessages, ...spendingReads];

/** A new message. What is sent twice arrives twice: a repeat of the same message carries the same Idempotency-Key. */
export function Composer({ latest, onSent }: ComposerProps) {
  const client = useQueryClient();
  const once = useOnce();
  const { local } = useConfig();
  const { form, submit, isRunning, error } = useApiForm({
    initial: emptyDraft,
    schema: draftSchema,
    labels: draftLabels,
    act: send,
    onDone: (message) => {
      form.setValues({ text: '', reference: '' });
      onSent(message);
    },
    fieldOf: { RECIPIENT_OPTED_OUT: { field: 'to' } },
  });

  async function send(draft: Draft): Promise<MessageRecord> {
    const body = messageBody(draft);
    try {
      return await once(body, (key) => call(messageRoutes.sendMessage, { body }, { idempotencyKey: key }));
    } finally {
      // What the carrier refused is listed too.
      for (const { id } of messageReads) void client.invalidateQueries({ queryKey: [id] });
    }
  }

  const { channel } = form.values;
  const isCall = channel === 'voice_call';
  return (
    <Panel
      title="New message"
      aside={
        <GetCodeButton
          request={() => ({ kind: 'message', body: messageBody(form.values), idempotencyKey: crypto.randomUUID() })}
        />
      }
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {local && <LocalNotice onTake={(to) => form.setValues({ to })} />}
          <div className={css.fields}>
            <ChannelField form={form} />
            {isCall && (
              <NativeSelect
                label={draftLabels.voice}
                data={voiceChoices}
                {...form.getInputProps('voice')}
                onChange={({ currentTarget: { value } }) => isCallVoice(value) && form.setFieldValue('voice', value)}
              />
            )}
          </div>
          <div className={css.fields}>
            <RecipientField form={form} />
            <TextInput
              label={draftLabels.reference}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              description="Optional: yours, for reports and events"
              {...form.getInputProps('reference')}
            />
          </div>
          <TextField form={form} />
          {error && <SendRefusal error={error} onRetry={submit} />}
          <Group gap="md">
            <Button type="submit" loading={isRunning} leftSection={<Icon name="send" />}>
              {isCall ? 'Call now' : 'Send SMS'}
            </Button>
            <Text size="sm" c="dimmed">
              {creditCount(prices[channel].credits)}
              {isCall ? ', whatever its length' : ', whatever its segments'}
            </Text>
            <SentStatus latest={latest} />
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

function ChannelField({ form }: { form: Form<Draft> }) {
  const { channel, ...errors } = { channel: form.values.channel, error: form.errors['channel'] };
  return (
    <Input.Wrapper label={draftLabels.channel} {...errors} labelElement="div">
      <SegmentedControl
        fullWidth
        aria-label={draftLabels.channel}
        data={channelChoices}
        value={channel}
        onChange={(next) => form.setFieldValue('channel', next)}
        data-path="channel"
      />
    </Input.Wrapper>
  );
}
