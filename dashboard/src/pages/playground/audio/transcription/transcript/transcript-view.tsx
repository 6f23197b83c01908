import { memo, useMemo } from 'react';
import type { Transcription } from '#contract/audio/transcription.ts';
import { PlainText } from '../../../parts/plain-text.tsx';
import { formatClock } from '../../clock.ts';
import css from '../transcription.module.css';
import { currentIndex, type TimedSegment, timedSegments } from './timed-segments.ts';

interface TranscriptViewProps {
  readonly transcription: Transcription;
  /** Seconds from the beginning, of what is played; nothing where there is no audio. */
  readonly position?: number | undefined;
  readonly onPlay?: ((seconds: number) => void) | undefined;
}

/** The text; where its times are known, each plays its part, and what is heard is marked. */
export function TranscriptView({ transcription, position = -1, onPlay }: TranscriptViewProps) {
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
