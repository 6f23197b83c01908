import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Box, Button, Group, Text } from '@mantine/core';
import { memo, type ReactNode, useMemo } from 'react';
import { toSrt, toVtt, type Transcription } from '#contract/audio/transcription.ts';
import { CopyButton } from '../../../components/copy.tsx';
import { Icon } from '../../../components/icon.tsx';
import { Notice } from '../../../components/notice.tsx';
import { saveFile } from '../../../lib/downloads.ts';
import { creditCount, formatBytes, formatCredits } from '../../../lib/format.ts';
import { useStableCallback } from '../../../lib/hooks.ts';
import { PlainText } from '../tab/text.tsx';
import css from './audio.module.css';
import { formatClock, formatLength } from './display.ts';
import { AudioPlayer, type DecodedAudio, usePlayback } from './player.tsx';
import { currentIndex, type TimedSegment, timedSegments, transcriptionCredits } from './transcription-rules.ts';

interface TranscribedAudioProps {
  readonly file: File;
  /** `undefined` while it is decoded, `null` if the browser cannot decode it. */
  readonly audio: DecodedAudio | null | undefined;
  readonly isShown: boolean;
  /** True before an upload, to warn about a file that cannot be played. */
  readonly isToUpload: boolean;
  readonly transcription: Transcription | undefined;
  /** Displayed between the player and the transcript. */
  readonly children: ReactNode;
}

/** A player and its transcript: the transcript follows playback, and a click in it seeks. */
export function TranscribedAudio(props: TranscribedAudioProps) {
  const { file, audio, isShown, isToUpload, transcription, children } = props;
  const playback = usePlayback(file, isShown);
  const onPlay = useStableCallback(playback.playFrom);
  return (
    <>
      <AudioPlayer label={t`Audio`} playback={playback} audio={audio}>
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {aboutFile(file, audio?.seconds)}
        </Text>
      </AudioPlayer>
      {isToUpload && playback.isUnplayable && (
        <Box mt="md">
          <Notice tone="warning">
            <Trans>This browser cannot play the file. If it is not audio, it is rejected after the upload.</Trans>
          </Notice>
        </Box>
      )}
      {children}
      {transcription && (
        <TranscriptSection
          transcription={transcription}
          fileName={file.name}
          position={playback.position}
          onPlay={onPlay}
        />
      )}
    </>
  );
}

function aboutFile({ name, size: bytes }: File, seconds: number | undefined): string {
  const size = formatBytes(bytes);
  if (seconds === undefined) return t`${name}, ${size}`;
  const length = formatLength(seconds);
  const credits = creditCount(transcriptionCredits(seconds), formatCredits);
  return t`${name}, ${size}, ${length}: about ${credits}`;
}

interface TranscriptSectionProps {
  readonly transcription: Transcription;
  readonly fileName: string;
  /** Playback position in seconds. Undefined without audio. */
  readonly position?: number | undefined;
  readonly onPlay?: ((seconds: number) => void) | undefined;
}

/** A transcript with its downloads. If its times are known, it consists of segments that can be played. */
export function TranscriptSection({ transcription, fileName, position = -1, onPlay }: TranscriptSectionProps) {
  const { text, segments, words } = transcription;
  const timed = useMemo(() => timedSegments(segments, words), [segments, words]);
  const current = currentIndex(timed, position);
  const name = fileName.replace(/\.[^.]*$/, '') || 'transcript';
  const subtitles = [
    { ending: 'srt', type: 'application/x-subrip', write: () => toSrt(segments) },
    { ending: 'vtt', type: 'text/vtt', write: () => toVtt(segments) },
  ];
  const downloads = [
    { ending: 'txt', type: 'text/plain', write: () => `${text}\n` },
    ...(segments.length > 0 ? subtitles : []),
  ];
  return (
    <section aria-label={t`Transcript`}>
      <Group justify="space-between" gap="xs" mb="xs">
        <Text size="sm" fw={500}>
          <Trans>Transcript</Trans>
        </Text>
        <Group gap="xs">
          {downloads.map(({ ending, type, write }) => (
            <Button
              key={ending}
              size="compact-sm"
              variant="default"
              leftSection={<Icon name="download" size={16} />}
              aria-label={t`Download ${{ ending: `.${ending}` }}`}
              onClick={() => saveFile(new Blob([write()], { type: `${type};charset=utf-8` }), `${name}.${ending}`)}
            >
              .{ending}
            </Button>
          ))}
          <CopyButton value={text} what={t`text`} />
        </Group>
      </Group>
      {timed.length === 0 ? (
        <PlainText>{text === '' ? t`No speech was recognized.` : text}</PlainText>
      ) : (
        <ol className={css.segments}>
          {timed.map((segment, index) => (
            <SegmentView
              key={`${index} ${segment.start}`}
              segment={segment}
              isCurrent={index === current}
              currentWord={index === current ? currentIndex(segment.words, position) : -1}
              onPlay={onPlay}
            />
          ))}
        </ol>
      )}
    </section>
  );
}

interface SegmentViewProps {
  readonly segment: TimedSegment;
  readonly isCurrent: boolean;
  readonly currentWord: number;
  readonly onPlay: ((seconds: number) => void) | undefined;
}

/** Memoized, so that only segments whose highlight changes are rendered. */
const SegmentView = memo(function SegmentView({ segment, isCurrent, currentWord, onPlay }: SegmentViewProps) {
  const { start, text, words } = segment;
  return (
    <li className={css.segment} data-current={isCurrent}>
      {onPlay ? (
        <button
          type="button"
          className={css.time}
          aria-label={t`Play from ${{ time: formatClock(start) }}`}
          onClick={() => onPlay(start)}
        >
          {formatClock(start)}
        </button>
      ) : (
        <span className={css.moment}>{formatClock(start)}</span>
      )}
      <div dir="auto">
        {words.length === 0 || !onPlay
          ? text
          : words.map((word, index) => (
              // Keyboard users move by segments and seek in the waveform.
              <span key={`${index} ${word.start}`}>
                <button
                  type="button"
                  tabIndex={-1}
                  className={css.word}
                  data-current={index === currentWord}
                  onClick={() => onPlay(word.start)}
                >
                  {word.word.trim()}
                </button>{' '}
              </span>
            ))}
      </div>
    </li>
  );
});
