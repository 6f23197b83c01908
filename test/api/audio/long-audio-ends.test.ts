import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { s3Client } from '#aws/s3-client.ts';
import { longAudio } from '#contract/audio/transcription.ts';
import { audioFiles } from '#gateways/audio/audio-files.ts';
import { endTranscriptions as buildEndTranscriptions, sweepTranscriptions } from '#jobs/audio.ts';
import { jobKey } from '#repositories/audio/jobs.ts';
import { services } from '#runtime/services/container.ts';
import { adts } from '#test/audio/files.ts';
import { ended, transcribed, uploaded } from '#test/audio/long-audio.ts';
import { eventOf, filesOf, hanging, jobsOf, spendable, wav } from '#test/audio/long-jobs.ts';
import { setInRow } from '#test/database/rows.ts';
import { code, type Person, useTestService } from '#test/service/service.ts';

const service = useTestService();

const endTranscriptions = buildEndTranscriptions();
const sweep = sweepTranscriptions();

/** A person with few credits, so that fractional charges are visible. */
const somebody = (credits = 100) => service.person({ planRank: 3, credits });

/** Rows of the ledger about transcriptions, oldest first. */
async function rowsOf({ key }: Person): Promise<[type: string, credits: number, reason?: string][]> {
  await service.settled();
  const { body } = await service.call('GET', '/api/credits', { key });
  return body.data.entries
    .filter(({ service }: any) => service === 'transcription')
    .map(({ type, credits, reason }: any) => (reason ? [type, credits, reason] : [type, credits]))
    .toReversed();
}

describe('a long transcription', () => {
  it('is refunded once if it fails, even if the failure is reported several times', async () => {
    const person = await somebody();
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'error', count: 1 });
    const { body, headers } = await transcribed(service, person.key, await uploaded(service, person.key, wav));
    expect(headers.get('x-credits-charged')).toBe('2');
    const { id } = body.data;
    expect(await ended(service, person.key, id)).toMatchObject({ status: 'failed', credits: 0, text: null });
    await Promise.all(Array.from({ length: 4 }, () => endTranscriptions(eventOf(person, id))));
    await endTranscriptions(eventOf(person, id, 'replies/late.out'));
    expect(await spendable(person)).toBe(100);
    expect(await rowsOf(person)).toEqual([
      ['charge', -2],
      ['refund', 2, 'failed'],
    ]);
    expect((await service.call('GET', '/api/credits/me', { key: person.key })).body.data.used.audio).toBe(0);
  });

  it('is charged once, even if its end is reported again, late or as a failure', async () => {
    const person = await somebody();
    const { body } = await transcribed(service, person.key, await uploaded(service, person.key, wav));
    const { id } = body.data;
    expect(await ended(service, person.key, id)).toMatchObject({
      status: 'completed',
      credits: 2,
      durationSeconds: 20,
    });
    for (const event of [eventOf(person, id, 'replies/again.out'), eventOf(person, id)]) await endTranscriptions(event);
    expect(await ended(service, person.key, id)).toMatchObject({ status: 'completed', credits: 2 });
    expect(await spendable(person)).toBe(98);
  });

  it('is charged for its seconds if it is deleted while it runs, and ignores later events', async () => {
    const person = await somebody();
    const id = await hanging(service, person);
    expect(code(await service.call('DELETE', `/api/ai/transcriptions/${id}`, { key: person.key }))).toBe('200 SUCCESS');
    await endTranscriptions(eventOf(person, id, 'replies/late.out'));
    await endTranscriptions(eventOf(person, id));
    expect(await jobsOf(service, person)).toEqual([]);
    expect(await spendable(person)).toBe(98);
    expect(code(await service.call('DELETE', `/api/ai/transcriptions/${id}`, { key: person.key }))).toBe(
      '404 NOT_FOUND',
    );
  });

  it('expires after 7.5 hours without an event, is refunded, and frees its slot', async () => {
    const person = await somebody();
    const ids = [];
    for (let count = 0; count < 10; count++) ids.push(await hanging(service, person));
    const uploadId = await uploaded(service, person.key, wav);
    expect(code(await transcribed(service, person.key, uploadId))).toBe('409 INVALID_STATE');
    await service.post('/_local/clock', { advance: 'PT7H' });
    expect((await jobsOf(service, person)).every(({ status }) => status === 'running')).toBe(true);
    await service.post('/_local/clock', { advance: 'PT30M' });
    await sweep();
    expect((await jobsOf(service, person)).map(({ status, credits }) => [status, credits])).toEqual(
      ids.map(() => ['expired', 0]),
    );
    expect(await spendable(person)).toBe(100);
    const refunds = (await rowsOf(person)).filter(([type]) => type === 'refund');
    expect(refunds).toEqual(ids.map(() => ['refund', 2, 'expired']));
    await endTranscriptions(eventOf(person, ids[0] ?? ''));
    expect(await spendable(person)).toBe(100);
    const again = await uploaded(service, person.key, wav);
    expect(code(await transcribed(service, person.key, again))).toBe('201 SUCCESS');
  }, 60_000);

  it('fails on an invalid reply, and ignores events of other buckets and jobs', async () => {
    const person = await somebody();
    const id = await hanging(service, person);
    for (const message of [
      { invocationStatus: 'Completed', requestParameters: { inputLocation: `s3://other/forms/${person.id}/${id}` } },
      { invocationStatus: 'Completed', requestParameters: { inputLocation: 's3://audio/forms/1/trn_none' } },
    ])
      await endTranscriptions({ Records: [{ Sns: { Message: JSON.stringify(message) } }] });
    expect((await jobsOf(service, person))[0]?.status).toBe('running');
    await endTranscriptions(eventOf(person, id, 'replies/nothing-there.out'));
    expect((await jobsOf(service, person))[0]).toMatchObject({ status: 'failed', credits: 0 });
    expect(await spendable(person)).toBe(100);
  });

  it('keeps only its text, which is deleted with the job or the account', async () => {
    const person = await somebody();
    const { body } = await transcribed(service, person.key, await uploaded(service, person.key, wav));
    const { id } = body.data;
    await ended(service, person.key, id);
    for (let tries = 0; tries < 400 && (await filesOf(service, person)).length > 1; tries++) await sleep(25);
    expect(await filesOf(service, person)).toEqual([`texts/${person.id}/${id}`]);
    await service.call('DELETE', `/api/ai/transcriptions/${id}`, { key: person.key });
    expect(await filesOf(service, person)).toEqual([]);
    const other = await transcribed(service, person.key, await uploaded(service, person.key, wav));
    await ended(service, person.key, other.body.data.id);
    await (await services().audioJobs()).purge(person.id);
    expect(await filesOf(service, person)).toEqual([]);
  });
});

describe('the event of an ended transcription', () => {
  it('is sent to the account’s webhooks on completion and on failure', async () => {
    const person = await service.person({ planRank: 3, credits: 100 });
    const { body } = await service.call('POST', '/api/webhooks', {
      key: person.key,
      body: { url: 'http://127.0.0.1:9/', events: ['transcription.completed', 'transcription.failed'] },
    });
    const done = await transcribed(service, person.key, await uploaded(service, person.key, wav));
    await ended(service, person.key, done.body.data.id);
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'error', count: 1 });
    const failed = await transcribed(service, person.key, await uploaded(service, person.key, wav));
    await ended(service, person.key, failed.body.data.id);
    const types = async () => {
      await service.settled();
      const path = `/api/webhooks/${body.data.id}/deliveries`;
      return (await service.call('GET', path, { key: person.key })).body.data.items.map(({ type }: any) => type);
    };
    for (let tries = 0; tries < 100 && (await types()).length < 2; tries++) await sleep(50);
    expect((await types()).toSorted()).toEqual(['transcription.completed', 'transcription.failed']);
  });
});

describe('a transcription that cannot complete', () => {
  it('returns 503 without a charge if the endpoint refuses it, and keeps its file for a retry', async () => {
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

  it('returns no text and is refunded in full if it lasts longer than was charged', async () => {
    const person = await somebody(25);
    const uploadId = await uploaded(service, person.key, adts(10_000, 250), 'audio/aac');
    const { body } = await transcribed(service, person.key, uploadId);
    expect(body.data.credits).toBe(25);
    const done = await ended(service, person.key, body.data.id);
    expect(done).toMatchObject({ status: 'failed', credits: 0, durationSeconds: null, text: null });
    expect(await spendable(person)).toBe(25);
  });

  it('counts towards the limit until the model has finished, even if it was deleted', async () => {
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

  it("fails if it expired in the endpoint's queue", async () => {
    const person = await somebody();
    const id = await hanging(service, person);
    await endTranscriptions(eventOf(person, id, undefined, 'Expired'));
    expect(await jobsOf(service, person)).toMatchObject([{ id, status: 'failed', credits: 0 }]);
  });

  it('fails if its text exceeds the size limit', async () => {
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

  it('keeps no text if it was deleted after a crash that followed the write of the text', async () => {
    const person = await somebody();
    const id = await hanging(service, person);
    await service.call('DELETE', `/api/ai/transcriptions/${id}`, { key: person.key });
    await audioFiles(s3Client(), 'audio').write(`texts/${person.id}/${id}`, 'application/json', '{}');
    await endTranscriptions(eventOf(person, id, 'replies/late.out'));
    expect(await filesOf(service, person)).toEqual([]);
  });

  it('does not delay other transcriptions if it cannot be ended', async () => {
    const [one, other] = [await somebody(), await somebody()];
    const [broken, id] = [await hanging(service, one), await hanging(service, other)];
    await setInRow('transcriptions', jobKey({ accountId: one.id, id: broken }), 'timestamps', 'none of these');
    await service.post('/_local/clock', { advance: 'PT8H' });
    const swept = await sweep().catch((error: unknown) => error);
    expect(swept).toMatchObject({ message: '1 transcriptions could not be ended' });
    expect(await jobsOf(service, other)).toMatchObject([{ id, status: 'expired', credits: 0 }]);
  });
});
