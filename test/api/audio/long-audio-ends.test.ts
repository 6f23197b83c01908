import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handler as endTranscriptions } from '#jobs/end-transcriptions.ts';
import { handler as sweep } from '#jobs/sweep-transcriptions.ts';
import { services } from '#runtime/container.ts';
import { ended, silence, transcribed, uploaded } from '#test/audio/long-audio.ts';
import { code, type Person, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const wav = silence(20);
const micro = 1_000_000;

/** With a limited number of credits, so that what is charged shows. */
const somebody = () => service.person({ planRank: 3, credits: 100 });

const spendable = async ({ id }: Person): Promise<number> =>
  (await services().metering().current(id, services().clock.now())).spendable / micro;

/** A job that the model never ends by itself. */
async function hanging(person: Person): Promise<string> {
  await service.post('/_local/faults', { target: 'sagemaker', fault: 'hang', count: 1 });
  const { body } = await transcribed(service, person.key, await uploaded(service, person.key, wav));
  return body.data.id;
}

/** What SNS delivers of the end of a job; `reply` is where the model wrote. */
const eventOf = ({ id: accountId }: Person, id: string, reply?: string) => ({
  Records: [
    {
      Sns: {
        Message: JSON.stringify({
          invocationStatus: reply === undefined ? 'Failed' : 'Completed',
          requestParameters: { inputLocation: `s3://audio/forms/${accountId}/${id}` },
          ...(reply !== undefined && { responseParameters: { outputLocation: `s3://audio/${reply}` } }),
          inferenceId: randomUUID(),
        }),
      },
    },
  ],
});

const jobsOf = async ({ key }: Person) =>
  (await service.call('GET', '/api/ai/transcriptions', { key })).body.data.items as {
    id: string;
    status: string;
    credits: number;
  }[];

/** Rows of the ledger about transcriptions, oldest first. */
async function rowsOf({ key }: Person): Promise<[type: string, credits: number][]> {
  await service.settled();
  const { body } = await service.call('GET', '/api/credits', { key });
  return body.data.entries
    .filter(({ service }: any) => service === 'transcription')
    .map(({ type, credits }: any) => [type, credits])
    .toReversed();
}

/** Keys of the files that the bucket has of somebody. */
async function filesOf({ id }: Person): Promise<string[]> {
  const folder = join(service.folder, 'audio');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  const metas = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8').catch(() => '{}')));
  return metas.map((meta) => String(JSON.parse(meta).key)).filter((key) => key.includes(`/${id}/`));
}

describe('a transcription', () => {
  it('that fails gives back what it had cost, once, however often that is announced', async () => {
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
      ['refund', 2],
    ]);
    expect((await service.call('GET', '/api/credits/me', { key: person.key })).body.data.used.audio).toBe(0);
  });

  it('is charged once when its end is announced again, late, and as a failure', async () => {
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

  it('that is deleted while it runs is charged for its seconds, and an event that comes later changes nothing', async () => {
    const person = await somebody();
    const id = await hanging(person);
    expect(code(await service.call('DELETE', `/api/ai/transcriptions/${id}`, { key: person.key }))).toBe('200 SUCCESS');
    await endTranscriptions(eventOf(person, id, 'replies/late.out'));
    await endTranscriptions(eventOf(person, id));
    expect(await jobsOf(person)).toEqual([]);
    expect(await spendable(person)).toBe(98);
    expect(code(await service.call('DELETE', `/api/ai/transcriptions/${id}`, { key: person.key }))).toBe(
      '404 NOT_FOUND',
    );
  });

  it('of which nothing is heard expires, gives back what it cost, and makes room for another', async () => {
    const person = await somebody();
    const ids = [];
    for (let count = 0; count < 10; count++) ids.push(await hanging(person));
    const uploadId = await uploaded(service, person.key, wav);
    expect(code(await transcribed(service, person.key, uploadId))).toBe('409 INVALID_STATE');
    await service.post('/_local/clock', { advance: 'PT7H' });
    expect((await jobsOf(person)).every(({ status }) => status === 'running')).toBe(true);
    await service.post('/_local/clock', { advance: 'PT30M' });
    await sweep();
    expect((await jobsOf(person)).map(({ status, credits }) => [status, credits])).toEqual(
      ids.map(() => ['expired', 0]),
    );
    expect(await spendable(person)).toBe(100);
    await endTranscriptions(eventOf(person, ids[0] ?? ''));
    expect(await spendable(person)).toBe(100);
    const again = await uploaded(service, person.key, wav);
    expect(code(await transcribed(service, person.key, again))).toBe('201 SUCCESS');
  }, 60_000);

  it('that the endpoint refuses is a 503 that costs nothing', async () => {
    const person = await somebody();
    const uploadId = await uploaded(service, person.key, wav);
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'unavailable', count: 1 });
    expect(code(await transcribed(service, person.key, uploadId))).toBe('503 SERVICE_UNAVAILABLE');
    expect(await spendable(person)).toBe(100);
    expect((await jobsOf(person)).map(({ status }) => status)).toEqual(['failed']);
  });

  it('whose reply is none fails, and an event of another bucket or job is left alone', async () => {
    const person = await somebody();
    const id = await hanging(person);
    for (const message of [
      { invocationStatus: 'Completed', requestParameters: { inputLocation: `s3://other/forms/${person.id}/${id}` } },
      { invocationStatus: 'Completed', requestParameters: { inputLocation: 's3://audio/forms/1/trn_none' } },
    ])
      await endTranscriptions({ Records: [{ Sns: { Message: JSON.stringify(message) } }] });
    expect((await jobsOf(person))[0]?.status).toBe('running');
    await endTranscriptions(eventOf(person, id, 'replies/nothing-there.out'));
    expect((await jobsOf(person))[0]).toMatchObject({ status: 'failed', credits: 0 });
    expect(await spendable(person)).toBe(100);
  });

  it('leaves no file but its text, and that goes with it and with its account', async () => {
    const person = await somebody();
    const { body } = await transcribed(service, person.key, await uploaded(service, person.key, wav));
    const { id } = body.data;
    await ended(service, person.key, id);
    for (let tries = 0; tries < 400 && (await filesOf(person)).length > 1; tries++) await sleep(25);
    expect(await filesOf(person)).toEqual([`texts/${person.id}/${id}`]);
    await service.call('DELETE', `/api/ai/transcriptions/${id}`, { key: person.key });
    expect(await filesOf(person)).toEqual([]);
    const other = await transcribed(service, person.key, await uploaded(service, person.key, wav));
    await ended(service, person.key, other.body.data.id);
    await (await services().audioJobs()).purge(person.id);
    expect(await filesOf(person)).toEqual([]);
  });
});

describe('its end', () => {
  it('is an event of the account’s webhooks', async () => {
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
