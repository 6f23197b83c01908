import { longAudio, type NewUpload } from '#contract/audio/transcriptions.ts';
import { timedId } from '../../shared/ids.ts';
import type { Clock, Random } from '../../shared/ports.ts';
import { ServiceError } from '../../shared/service-error.ts';
import { refuseUnknownType } from '../audio-containers.ts';
import { fileKeys, iso, type Upload } from './job.ts';
import type { AudioFiles, JobStore } from './ports.ts';

export interface UploadParts {
  readonly jobs: Pick<JobStore, 'addUpload'>;
  readonly files: Pick<AudioFiles, 'allowUpload'>;
  /** Refuses (429) an account that begins too many. */
  readonly demandUpload: (accountId: number) => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
}

/** Allows files to be sent to storage (docs/design/audio.md#long-audio). */
export function uploadService({ jobs, files, demandUpload, clock, random }: UploadParts) {
  return async (accountId: number, { contentType, bytes }: NewUpload) => {
    refuseUnknownType(contentType);
    await demandUpload(accountId);
    const now = clock.now();
    const expiresAt = now + longAudio.uploadSeconds * 1000;
    const upload: Upload = {
      accountId,
      id: timedId('upl', now, random),
      contentType,
      bytes,
      createdAt: now,
      expiresAt,
    };
    if (!(await jobs.addUpload(upload))) {
      const detail = `An account can have at most ${longAudio.openUploads} pending uploads. Transcribe one, or try again when one has expired.`;
      throw new ServiceError('INVALID_STATE', detail);
    }
    const form = await files.allowUpload(fileKeys.upload(upload), { contentType, bytes, expiresAt });
    return { id: upload.id, url: form.url, fields: { ...form.fields }, expiresAt: iso(form.expiresAt) };
  };
}
