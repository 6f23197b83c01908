import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { longAudio } from '#contract/audio/transcriptions.ts';
import { audioFiles } from '#gateways/audio/audio-files.ts';
import { s3Client } from '#gateways/ledger-archive-files.ts';
import { endTranscriptions as buildEndTranscriptions } from '#jobs/audio.ts';
import { sweepTranscriptions } from '#jobs/audio.ts';
import { jobKey } from '#repositories/audio/jobs.ts';
import { adts } from '#test/audio/files.ts';
import { ended, transcribed, uploaded } from '#test/audio/long-audio.ts';
import { eventOf, filesOf, hanging, jobsOf, spendable, wav } from '#test/audio/long-jobs.ts';
import { setInRow } from '#test/database/rows.ts';
import { code, startTestService, type TestService } from '#test/service/service.ts';

const endTranscriptions = buildEndTranscriptions();
const sweep = sweepTranscriptions();

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const somebody = (credits = 100) => service.person({ planRank: 3, credits });

describe('a transcription', () => {
  it('that the endpoint refuses is a 503 that costs nothing, and its file need not be sent again', async () => {
    const person = await somebody();
    const uploadId = await uploaded(service, person.key, wav);
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'unavailable', count: 1 });
    expect(code(await transcribed(service, person.key, uploadId))).toBe('503 SERVICE_UNAVAILABLE');
    expect(await spendable(person)).toBe(100);
    expect((await jobsOf(service, person)).map(({ status }) => status)).toEqual(['failed']);
    expect(await filesOf(service, person)).toEqual([`uploads/${person.id}/${uploadId}`]);
    const again = await transcribed(service, person.key, uploadId);
    expect(await ended(service, person.key, again.body.data.id)).toMatchObject({ status: 'completed', credits: 2 });
    expect(code(await transcribed(service, person.key, uploadId))).toBe('409 INVALID_STATE');
  });

  it('that lasts longer than was charged gives no text, and all comes back', async () => {
    const person = await somebody(25);
    const uploadId = await uploaded(service, person.key, adts(10_000, 250), 'audio/aac');
    const { body } = await transcribed(service, person.key, uploadId);
    expect(body.data.credits).toBe(25);
    const done = await ended(service, person.key, body.data.id);
    expect(done).toMatchObject({ status: 'failed', credits: 0, durationSeconds: null, text: null });
    expect(await spendable(person)).toBe(25);
  });

  it('that is deleted while it runs counts until the model has ended it', async () => {
    const person = await somebody();
    const ids = [];
    for (let count = 0; count < longAudio.openJobs; count++) {
      const id = await hanging(service, person);
      await service.call('DELETE', `/api/ai/transcriptions/${id}`, { key: person.key });
      ids.push(id);
    }
    const uploadId = await uploaded(service, person.key, wav);
    expect(code(await transcribed(service, person.key, uploadId))).toBe('409 INVALID_STATE');
    await endTranscriptions(eventOf(person, ids[0] ?? ''));
    expect(code(await transcribed(service, person.key, uploadId))).toBe('201 SUCCESS');
  });

  it('that has expired in the queue fails, whatever that is called', async () => {
    const person = await somebody();
    const id = await hanging(service, person);
    await endTranscriptions(eventOf(person, id, undefined, 'Expired'));
    expect(await jobsOf(service, person)).toMatchObject([{ id, status: 'failed', credits: 0 }]);
  });

  it('whose text would be longer than is read again fails', async () => {
    const person = await somebody();
    const id = await hanging(service, person);
    const text = Buffer.concat([Buffer.from('{"text":"'), Buffer.alloc(12 * 2 ** 20, 0xff), Buffer.from('"}')]);
    const raw = await fetch(`${process.env['AWS_ENDPOINT_URL_S3']}/audio/replies/long.out`, {
      method: 'PUT',
      headers: { authorization: 'AWS4-HMAC-SHA256 Credential=local' },
      body: text,
    });
    expect(raw.status).toBe(200);
    await endTranscriptions(eventOf(person, id, 'replies/long.out'));
    expect(await ended(service, person.key, id)).toMatchObject({ status: 'failed', credits: 0 });
  });

  it('whose end died once its text was written, and that was deleted then, leaves no text', async () => {
    const person = await somebody();
    const id = await hanging(service, person);
    await service.call('DELETE', `/api/ai/transcriptions/${id}`, { key: person.key });
    await audioFiles(s3Client(), 'audio').write(`texts/${person.id}/${id}`, 'application/json', '{}');
    await endTranscriptions(eventOf(person, id, 'replies/late.out'));
    expect(await filesOf(service, person)).toEqual([]);
  });

  it('that cannot be ended keeps none of the others waiting', async () => {
    const [one, other] = [await somebody(), await somebody()];
    const [broken, id] = [await hanging(service, one), await hanging(service, other)];
    await setInRow('transcriptions', jobKey({ accountId: one.id, id: broken }), 'timestamps', 'none of these');
    await service.post('/_local/clock', { advance: 'PT8H' });
    const swept = await sweep().catch((error: unknown) => error);
    expect(swept).toMatchObject({ message: '1 transcriptions could not be ended' });
    expect(await jobsOf(service, other)).toMatchObject([{ id, status: 'expired', credits: 0 }]);
  });
});
