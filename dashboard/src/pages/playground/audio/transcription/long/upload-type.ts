import { type NewUpload, uploadTypes } from '#contract/audio/transcriptions.ts';

type UploadType = NewUpload['contentType'];

/** Browsers name few of these, and each its own. */
const typeOfEnding: Readonly<Record<string, UploadType>> = {
  mp3: 'audio/mpeg',
  mpga: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  m4a: 'audio/mp4',
  mp4: 'audio/mp4',
  mov: 'audio/mp4',
  webm: 'audio/webm',
  mka: 'audio/webm',
  mkv: 'audio/webm',
};

/** The media type that a file is uploaded as, by its name, else by its browser; undefined for what is no audio by either. */
export function uploadTypeOf({ name, type }: Pick<File, 'name' | 'type'>): UploadType | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  const [named] = type.split(';', 1);
  return Object.hasOwn(typeOfEnding, ending) ? typeOfEnding[ending] : uploadTypes.find((known) => known === named);
}
