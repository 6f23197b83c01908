import { Box, Button, Group, Text } from '@mantine/core';
import { type ReactNode, memo, useMemo } from 'react';
import { toSrt, toVtt } from '#contract/audio/subtitles.ts';
import type { Transcription } from '#contract/audio/transcription.ts';
import { CopyButton } from '../../../components/elements/copy-button.tsx';
import { Icon } from '../../../components/elements/icon.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { creditCount, formatBytes, formatCredits } from '../../../lib/format.ts';
import { useStableCallback } from '../../../lib/hooks/use-stable-callback.ts';
import { saveFile } from '../../../lib/save-file.ts';
import { PlainText } from '../tab/text.tsx';
import css from './audio.module.css';
import { formatClock, formatLength } from './display.ts';
import { AudioPlayer, type DecodedAudio, type Playback, usePlayback } from './player.tsx';
import { type TimedSegment, currentIndex, timedSegments, transcriptionCredits } from './transcription-rules.ts';

interface TranscribedAudioProps {
  readonly file: File;
  /** `undefined` until it is decoded, `null` where the browser cannot. */
  readonly audio: DecodedAudio | null | undefined;
  readonly isShown: boolean;
  /** True before a file is uploaded, which then costs time alone if it is no audio. */
  readonly isToUpload: boolean;
  readonly transcription: Transcription | undefined;
  /** Between audio and text. */
  readonly children: ReactNode;
}

/** Audio and its text, of which each follows the other. */
export function TranscribedAudio(props: TranscribedAudioProps) {
  const { file, audio, isShown, isToUpload, transcription, children } = props;
  const playback = usePlayback(file, isShown);
  const onPlay = useStableCallback(playback.playFrom);
  return (
    <>
      <ChosenAudio file={file} audio={audio} playback={playback} />
      {isToUpload && playback.isUnplayable && (
        <Box mt="md">
          <Notice tone="warning">
            This browser cannot play the file. If it is not audio, it is rejected after the upload.
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

interface ChosenAudioProps {
  readonly file: File;
  readonly audio: DecodedAudio | null | undefined;
  readonly playback: Playback;
}

/** What is going to be transcribed, to hear it before, and what that will cost. */
function ChosenAudio({ file, audio, playback }: ChosenAudioProps) {
  return (
    <AudioPlayer label="Audio" playback={playback} audio={audio}>
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {file.name}, {formatBytes(file.size)}
        {audio &&
          `, ${formatLength(audio.seconds)}: about ${creditCount(transcriptionCredits(audio.seconds), formatCredits)}`}
      </Text>
    </AudioPlayer>
  );
}

interface TranscriptSectionProps {
  readonly transcription: Transcription;
  readonly fileName: string;
  /** Of the audio that is played; nothing where there is none. */
  readonly position?: number | undefined;
  readonly onPlay?: ((seconds: number) => void) | undefined;
}

/** A text with its downloads. */
export function TranscriptSection({ transcription, fileName, position, onPlay }: TranscriptSectionProps) {
  return (
    <section aria-label="Transcript">
      <Group justify="space-between" gap="xs" mb="xs">
        <Text size="sm" fw={500}>
          Transcript
        </Text>
        <TranscriptDownloads transcription={transcription} fileName={fileName} />
      </Group>
      <TranscriptView transcription={transcription} position={position} onPlay={onPlay} />
    </section>
  );
}

interface TranscriptViewProps {
  readonly transcription: Transcription;
  /** Seconds from the beginning, of what is played; nothing where there is no audio. */
  readonly position?: number | undefined;
  readonly onPlay?: ((seconds: number) => void) | undefined;
}

/** The text; where its times are known, each plays its part, and what is heard is marked. */
function TranscriptView({ transcription, position = -1, onPlay }: TranscriptViewProps) {
  const { text, segments, words } = transcription;
  const timed = useMemo(() => timedSegments(segments, words), [segments, words]);
  const current = currentIndex(timed, position);
  if (timed.length === 0) return <PlainText>{text === '' ? 'No speech was recognized.' : text}</PlainText>;
  return (
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
  );
}

interface SegmentViewProps {
  readonly segment: TimedSegment;
  readonly isCurrent: boolean;
  readonly currentWord: number;
  readonly onPlay: ((seconds: number) => void) | undefined;
}

/** Rendered again only when its own mark moves. */
const SegmentView = memo(function SegmentView({ segment, isCurrent, currentWord, onPlay }: SegmentViewProps) {
  const { start, text, words } = segment;
  return (
    <li className={css.segment} data-current={isCurrent}>
      {onPlay ? (
        <button
          type="button"
          className={css.time}
          aria-label={`Play from ${formatClock(start)}`}
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
              // With the keyboard one goes by segments, and seeks in the waveform.
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

interface TranscriptDownloadsProps {
  readonly transcription: Transcription;
  /** Of the audio. */
  readonly fileName: string;
}

/** The text as a file, and as subtitles where the times of segments are known. */
function TranscriptDownloads({ transcription: { text, segments }, fileName }: TranscriptDownloadsProps) {
  const name = fileName.replace(/\.[^.]*$/, '') || 'transcript';
  const formats = [
    { ending: 'txt', type: 'text/plain', write: () => `${text}\n` },
    { ending: 'srt', type: 'application/x-subrip', write: () => toSrt(segments) },
    { ending: 'vtt', type: 'text/vtt', write: () => toVtt(segments) },
  ];
  return (
    <Group gap="xs">
      {formats
        .filter(({ ending }) => ending === 'txt' || segments.length > 0)
        .map(({ ending, type, write }) => (
          <Button
            key={ending}
            size="compact-sm"
            variant="default"
            leftSection={<Icon name="download" size={16} />}
            aria-label={`Download .${ending}`}
            onClick={() => saveFile(new Blob([write()], { type: `${type};charset=utf-8` }), `${name}.${ending}`)}
          >
            .{ending}
          </Button>
        ))}
      <CopyButton value={text} what="text" />
    </Group>
  );
}
