import { Button, Group } from '@mantine/core';
import { toSrt, toVtt } from '#contract/audio/subtitles.ts';
import type { Transcription } from '#contract/audio/transcription.ts';
import { CopyButton } from '../../../../../components/elements/copy-button.tsx';
import { Icon } from '../../../../../components/elements/icon.tsx';
import { saveFile } from '../../../../../lib/save-file.ts';

interface TranscriptDownloadsProps {
  readonly transcription: Transcription;
  /** Of the audio. */
  readonly fileName: string;
}

/** The text as a file, and as subtitles where the times of segments are known. */
export function TranscriptDownloads({ transcription: { text, segments }, fileName }: TranscriptDownloadsProps) {
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
