import { Button, Group, Input, NativeSelect, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { prices } from '#contract/billing/prices.ts';
import { channels } from '#contract/messages/channels.ts';
import { useConfig } from '../../../api/config.ts';
import { Icon } from '../../../components/elements/icon.tsx';
import { Panel } from '../../../components/layout/panel.tsx';
import { creditCount } from '../../../lib/format.ts';
import type { Form } from '../../../lib/hooks/use-form.ts';
import { GetCodeButton } from '../../playground/code/get-code-button.tsx';
import { channelTitles, type MessageRecord } from '../message.tsx';
import css from '../messages.module.css';
import { type Draft, draftLabels, exampleBody } from './draft.ts';
import { RecipientField } from './fields/recipient-field.tsx';
import { TextField } from './fields/text-field.tsx';
import { isCallVoice, voiceChoices } from './fields/voices.ts';
import { LocalNotice } from './local-notice.tsx';
import { SendRefusal } from './send-refusal.tsx';
import { SentStatus } from './sent-status.tsx';
import { type ComposerOptions, useComposer } from './use-composer.ts';

const channelChoices = channels.map((value) => ({ value, label: channelTitles[value] }));

interface ComposerProps extends ComposerOptions {
  /** The last one that was sent from here, as it is now. */
  readonly latest: MessageRecord | undefined;
}

/** A new message. What is sent twice arrives twice: a repeat of the same message carries the same Idempotency-Key. */
export function Composer({ latest, ...options }: ComposerProps) {
  const { local } = useConfig();
  const { form, submit, isRunning, error } = useComposer(options);
  const { channel } = form.values;
  const isCall = channel === 'voice_call';
  return (
    <Panel
      title="New message"
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
              description="Your own ID, optional"
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
              {creditCount(prices[channel].credits)} per {isCall ? 'call' : 'message'}
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
