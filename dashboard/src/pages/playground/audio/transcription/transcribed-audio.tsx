import type { ReactNode } from 'react';
import type { Transcription } from '#contract/audio/transcription.ts';
import { useStableCallback } from '../../../../lib/use-stable-callback.ts';
import { useDecoded } from '../player/use-decoded.ts';
import { usePlayback } from '../player/use-playback.ts';
import { ChosenAudio } from './chosen-audio.tsx';
import { TranscriptSection } from './transcript-section.tsx';

interface TranscribedAudioProps {
  readonly file: File;
  readonly transcription: Transcription | undefined;
  /** Between audio and text. */
  readonly children: ReactNode;
}

/** Audio and its text, of which each follows the other. */
export function TranscribedAudio({ file, transcription, children }: TranscribedAudioProps) {
  const playback = usePlayback(file);
  const audio = useDecoded(file);
  const onPlay = useStableCallback(playback.playFrom);
  return (
    <>
      <ChosenAudio file={file} audio={audio} playback={playback} />
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
