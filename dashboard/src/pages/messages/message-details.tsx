import { Button, Group, Stack, Text } from '@mantine/core';
import { CopyButton } from '../../components/elements/copy-button.tsx';
import { Detail, Details } from '../../components/elements/details.tsx';
import { formatSecond } from '../../lib/format.ts';
import { isFinal } from './failures.ts';
import { channelTitles, countryName, meaningOf, MessageBadge, type MessageRecord } from './message.tsx';
import css from './messages.module.css';

interface MessageDetailsProps {
  readonly message: MessageRecord;
  /** Puts a message like it into the composer; undefined where there is none. */
  readonly onAgain: ((message: MessageRecord) => void) | undefined;
}

/** All that is known of a message. */
export function MessageDetails({ message, onAgain }: MessageDetailsProps) {
  const { id, channel, to, text, status, failure, country, segments, encoding, voice, reference, credits } = message;
  return (
    <Stack gap="md">
      <div role="status">
        <MessageBadge status={status} />
        <Text size="sm" mt={6}>
          {meaningOf(message)}
        </Text>
      </div>
      <p className={css.text} dir="auto">
        {text}
      </p>
      {onAgain && !isFinal(failure) && (
        <Group>
          <Button variant="default" onClick={() => onAgain(message)}>
            {channel === 'voice_call' ? 'Call again' : 'Send again'}
          </Button>
        </Group>
      )}
      <Details>
        <Detail title="Message ID">
          <Group gap={4} wrap="nowrap">
            <span className="mono">{id}</span>
            <CopyButton value={id} what="message ID" />
          </Group>
        </Detail>
        <Detail title="Recipient">
          <Group gap={4} wrap="nowrap">
            <bdi>{to}</bdi>
            <CopyButton value={to} what="recipient" />
          </Group>
        </Detail>
        <Detail title="Country">{countryName(country)}</Detail>
        <Detail title="Channel">{channelTitles[channel]}</Detail>
        {voice !== null && <Detail title="Voice">{voice}</Detail>}
        {segments !== null && <Detail title="Segments">{segments}</Detail>}
        {encoding !== null && <Detail title="Encoding">{encoding}</Detail>}
        <Detail title="Reference">{reference === null ? '–' : <bdi>{reference}</bdi>}</Detail>
        <Detail title="Credits charged">{credits}</Detail>
        <Detail title="Created">{formatSecond(message.createdAt)}</Detail>
        <Detail title="Updated">{formatSecond(message.updatedAt)}</Detail>
      </Details>
    </Stack>
  );
}
