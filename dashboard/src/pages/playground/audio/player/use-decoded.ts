import { useEffect, useState } from 'react';
import { type DecodedAudio, decodeAudio } from './decoded-audio.ts';

/** A file's length and waveform: `undefined` until they are known, `null` where the browser cannot decode it. */
export function useDecoded(file: Blob | undefined): DecodedAudio | null | undefined {
  const [known, setKnown] = useState<{ readonly file: Blob; readonly audio: DecodedAudio | null }>();
  useEffect(() => {
    let isCurrent = true;
    async function decode(chosen: Blob): Promise<void> {
      const audio = await decodeAudio(chosen);
      if (isCurrent) setKnown({ file: chosen, audio });
    }
    if (file) void decode(file);
    return () => {
      isCurrent = false;
    };
  }, [file]);
  return known?.file === file ? known?.audio : undefined;
}
