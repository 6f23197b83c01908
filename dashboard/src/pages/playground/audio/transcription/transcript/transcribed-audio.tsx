import { Box } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Transcription } from '#contract/audio/transcription.ts';
import { Notice } from '../../../../../components/feedback/notice.tsx';
import { useStableCallback } from '../../../../../lib/hooks/use-stable-callback.ts';
import type { DecodedAudio } from '../../player/decoded-audio.ts';
import { usePlayback } from '../../player/use-playback.ts';
import { ChosenAudio } from '../chosen-audio.tsx';
import { TranscriptSection } from './transcript-section.tsx';

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
