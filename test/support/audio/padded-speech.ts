import { encodeTranscript, transcriptOf } from '#local/demo-engine/speech/speech-data.ts';
import { wavFile } from './files.ts';

/** A recording of 3 s that the demo engine recognizes, padded to `bytes` bytes by an ignored chunk (RIFF, "JUNK"). */
export function paddedSpeech(bytes: number): Buffer {
  const sentences = ['Good evening.', 'The river runs by the old stone house.'];
  const mark = encodeTranscript(transcriptOf(sentences.map((text, at) => ({ text, seconds: 1 + at }))));
  const chunk = (id: string, content: Buffer): Buffer => {
    const head = Buffer.from(`${id}0000`, 'latin1');
    head.writeUInt32LE(content.length, 4);
    return Buffer.concat([head, content]);
  };
  const even = Buffer.concat([mark, Buffer.alloc(mark.length % 2)]);
  const more = Buffer.concat([chunk('LIST', even), chunk('JUNK', Buffer.alloc(bytes))]);
  return wavFile({ length: 24_000, bytes: 24_000, more });
}
