import { beforeEach, describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { useModelServer } from '#test/models/model-server.ts';
import { chat, type Person, useTestService } from '#test/service/service.ts';

const model = useModelServer();
const service = useTestService(() => ({ modelUrl: model.url }));
beforeEach(() => {
  model.state.delayMs = 20_000;
});

const cancel = (key: string, requestId: string) => service.call('POST', `/v1/requests/${requestId}/cancel`, { key });
const spent = async ({ id }: Person) => {
  const { spendable, holds } = (await services().metering().find(id))!;
  return { charged: 5_100_000_000 - spendable, open: holds.size };
};
const newPerson = () => service.person({ planRank: 2 });

async function open({ key }: Person, path = '/v1/chat/completions', signal?: AbortSignal): Promise<Response> {
  const response = await service.open(path, key, { ...chat(), stream: true }, signal && { signal });
  expect(response.status).toBe(200);
  return response;
}

/** Opens a stream. Returns its request id, and its text once it has ended. */
async function begin(person: Person, path?: string) {
  const response = await open(person, path);
  return { requestId: response.headers.get('x-request-id') ?? '', text: response.text() };
}

describe('a stream after a client disconnect', () => {
  it('charges the delivered output, and stops the model', async () => {
    const person = await newPerson();
    const leaving = new AbortController();
    const { body } = await open(person, undefined, leaving.signal);
    await body!.getReader().read();
    expect(model.state.streams).toBe(1);
    leaving.abort();
    await expect.poll(() => model.state.streams, { timeout: 5000 }).toBe(0);
    await expect.poll(() => spent(person)).toEqual({ charged: 1_000_000, open: 0 });
  });
});

describe('a cancelled stream', () => {
  it('stops within 5 s, charges the delivered output, frees its slot, and is then reported as finished', async () => {
    const person = await newPerson();
    const { requestId, text } = await begin(person);
    const first = await cancel(person.key, requestId);
    expect([first.status, first.body.message, first.body.data]).toEqual([
      200,
      'SUCCESS',
      { requestId, status: 'cancelled' },
    ]);
    expect((await cancel(person.key, requestId)).body.data).toEqual({ requestId, status: 'cancelled' });
    const began = performance.now();
    const events = await text;
    expect(performance.now() - began).toBeLessThan(5000);
    expect(events).toContain('STREAM_CHUNK');
    expect(events).toContain('REQUEST_CANCELLED');
    expect(events).not.toContain('STREAM_COMPLETE');
    expect(await spent(person)).toEqual({ charged: 1_000_000, open: 0 });
    expect((await cancel(person.key, requestId)).body.data).toEqual({ requestId, status: 'finished' });
    await expect.poll(() => model.state.streams).toBe(0);
  });

  it('frees the only slot of the account for another call', async () => {
    const person = await service.person();
    const streams = await Promise.all(Array.from({ length: 5 }, () => begin(person)));
    const call = () => service.call('POST', '/v1/chat/completions', { key: person.key, body: chat() });
    expect((await call()).status).toBe(429);
    await cancel(person.key, streams[2]!.requestId);
    await streams[2]!.text;
    model.state.delayMs = 0;
    expect((await call()).status).toBe(200);
    await Promise.all(streams.map(({ requestId }) => cancel(person.key, requestId)));
    await Promise.all(streams.map(({ text }) => text));
  });

  it('reports the cancellation in the format of its route', async () => {
    const person = await newPerson();
    const { requestId, text } = await begin(person, '/openai/v1/chat/completions');
    await cancel(person.key, requestId);
    const events = await text;
    expect(events).toContain('request_cancelled');
    expect(events).not.toContain('[DONE]');
    expect(await spent(person)).toEqual({ charged: 1_000_000, open: 0 });
  });

  it('returns an uncharged 409 if it is cancelled before its first piece', async () => {
    const person = await newPerson();
    model.state.silent = true;
    const stream = service.call('POST', '/v1/chat/completions', { key: person.key, body: { ...chat(), stream: true } });
    await expect.poll(async () => (await spent(person)).open).toBe(1);
    const [requestId = ''] = (await services().metering().find(person.id))!.holds.keys();
    expect((await cancel(person.key, requestId)).body.data.status).toBe('cancelled');
    const { status, body, headers } = await stream;
    expect([status, body.message, headers.get('x-credits-charged')]).toEqual([409, 'REQUEST_CANCELLED', '0']);
    expect(await spent(person)).toEqual({ charged: 0, open: 0 });
  });
});

describe('a cancellation', () => {
  it('returns 404 for an unknown or foreign request, and changes nothing', async () => {
    const [owner, stranger] = [await newPerson(), await newPerson()];
    const { requestId, text } = await begin(owner);
    for (const id of [requestId, 'nothing', 'x'.repeat(64)]) {
      const { status, body } = await cancel(stranger.key, id);
      expect([status, body.message]).toEqual([404, 'NOT_FOUND']);
    }
    expect(await spent(owner)).toMatchObject({ open: 1 });
    await cancel(owner.key, requestId);
    expect(await text).toContain('REQUEST_CANCELLED');
    expect((await cancel(stranger.key, requestId)).status).toBe(404);
  });
});
