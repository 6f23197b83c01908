import { Button, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Icon } from '../../../../../components/elements/icon.tsx';
import { formatClock } from '../../clock.ts';
import { LevelMeter } from './level-meter.tsx';
import css from './recorder.module.css';
import { maxRecordingSeconds } from './use-recorder.ts';

interface RecordingViewProps {
  readonly stream: MediaStream;
  readonly startedAt: number;
  readonly onStop: () => void;
  readonly onDiscard: () => void;
}

/** A recording under way: how long it is, how loud, and its end. */
export function RecordingView({ stream, startedAt, onStop, onDiscard }: RecordingViewProps) {
  const seconds = useSecondsSince(startedAt);
  return (
    <div className={css.recorder}>
      <span className={css.mark} />
      <Text size="sm" className="number" role="timer" aria-label="Recorded">
        {formatClock(seconds)} of {formatClock(maxRecordingSeconds)}
      </Text>
      <LevelMeter stream={stream} />
      <Button leftSection={<Icon name="stop" size={16} />} onClick={onStop}>
        Stop recording
      </Button>
      <Button variant="default" onClick={onDiscard}>
        Discard
      </Button>
    </div>
  );
}

function useSecondsSince(startedAt: number): number {
  const [now, setNow] = useState(startedAt);
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 250);
    return () => clearInterval(timer);
  }, []);
  return (now - startedAt) / 1000;
}
