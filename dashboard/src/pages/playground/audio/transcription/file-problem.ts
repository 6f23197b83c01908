import { maxDirectAudioBytes } from '#contract/audio/transcription.ts';
import { longAudio } from '#contract/audio/transcriptions.ts';
import { uploadTypeOf } from './long/upload-type.ts';

export const maxMegabytes = longAudio.maxBytes / 1e6;

/** Types that browsers give what they do not know, or what may have a sound track. */
const perhapsAudio = /^$|^(?:audio|video)\/|^application\/(?:ogg|octet-stream)$/;

/** Endings of what is no audio, as not every browser names their types. */
const otherEndings = /\.(?:pdf|docx?|xlsx?|pptx?|odt|txt|md|csv|json|html?|zip|png|jpe?g|gif|webp|svg)$/i;

/** Why the service would not take a file; one that may be audio is looked at there. */
export function fileProblem(file: Pick<File, 'name' | 'type' | 'size'>): string | undefined {
  const { name, type, size } = file;
  if (size === 0) return 'The file is empty.';
  const isKnown = uploadTypeOf(file) !== undefined;
  if (!isKnown && (!perhapsAudio.test(type) || otherEndings.test(name)))
    return `“${name}” is not audio. Choose a file in one of the formats above.`;
  if (size > longAudio.maxBytes)
    return `The file is ${megabytes(size)} MB; uploads are limited to ${maxMegabytes} MB. Choose a shorter file, or one with a lower bit rate.`;
  if (size > maxDirectAudioBytes && !isKnown)
    return 'Unknown file format: the name must end in one of the formats above.';
  return undefined;
}

/** Rounded up, as one that is a byte too large is no less so. */
const megabytes = (bytes: number): number => Math.ceil(bytes / 1e5) / 10;
