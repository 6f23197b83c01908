import { request as httpRequest } from 'node:http';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { type ModelServer, startModelServer } from '#test/models/model-server.ts';
import { chat, type Person, startTestService, type TestService } from '#test/service/service.ts';

let model: ModelServer;
let service: TestService;
let person: Person;
beforeAll(async () => {
  model = await startModelServer();
  service = await startTestService({ modelUrl: model.url });
});
afterAll(async () => {
  await service.close();
  model.close();
});
beforeEach(async () => {
  model.reset();
  person = await service.person({ planRank: 4, credits: 10 });
});

/** Credits charged, once no call is open. */
async function charged(): Promise<number> {
  const find = async () => (await services().metering().find(person.id))!;
  await expect.poll(async () => (await find()).holds.size, { timeout: 8000 }).toBe(0);
  return 10 - (await find()).spendable / 1_000_000;
}

/** A machine that stalls for a second changes the order of arrival. */
const timing = { timeout: 30_000, retry: 2 };

describe('an SDK with a timeout of 2 s and two retries, for a response that takes 5 s,', timing, () => {
  const body = { model: 'svc-1', messages: [{ role: 'user' as const, content: 'Hello' }] };
  const settings = () => ({
    apiKey: person.key,
    baseURL: `${service.origin}/openai/v1`,
    timeout: 2000,
    maxRetries: 2,
  });

  beforeEach(() => {
    model.state.delayMs = 5000;
  });

  it('returns the response for one charge with an Idempotency-Key', async () => {
    const client = new OpenAI(settings());
    const headers = { 'Idempotency-Key': 'order-17' };
    const completion = await client.chat.completions.create(body, { headers });
    expect(completion.choices[0]?.message.content).toBe('ok 1');
    expect([model.state.runs, await charged()]).toEqual([1, 1]);
  });

  it('returns it for one charge in every call if the client names the header once', async () => {
    class IdempotentOpenAI extends OpenAI {
      protected override idempotencyHeader = 'Idempotency-Key';
    }
    const client = new IdempotentOpenAI(settings());
    const completion = await client.chat.completions.create(body);
    expect(completion.choices[0]?.message.content).toBe('ok 1');
    expect([model.state.runs, await charged()]).toEqual([1, 1]);
  });

  it('is charged for three calls and receives no response without an Idempotency-Key', async () => {
    const client = new OpenAI(settings());
    await expect(client.chat.completions.create(body)).rejects.toBeInstanceOf(OpenAI.APIConnectionTimeoutError);
    expect([model.state.runs, await charged()]).toEqual([3, 3]);
  });
});

describe('a whole response whose client has disconnected', () => {
  it.each(['/v1/chat/completions', '/openai/v1/chat/completions'])(
    'is stored under its Idempotency-Key: %s',
    async (path) => {
      model.state.delayMs = 500;
      const headers = {
        authorization: `Bearer ${person.key}`,
        'content-type': 'application/json',
        'idempotency-key': 'order-18',
      };
      const request = httpRequest(service.origin + path, { method: 'POST', headers }).on('error', () => undefined);
      const closed = new Promise((resolve) => request.on('close', resolve));
      request.end(JSON.stringify(chat()));
      await expect.poll(() => model.state.runs).toBe(1);
      request.destroy();
      await closed;
      expect(await charged()).toBe(1);
      const repeat = await fetch(service.origin + path, { method: 'POST', headers, body: JSON.stringify(chat()) });
      expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
      expect(await repeat.text()).toContain('ok 1');
      expect([model.state.runs, await charged()]).toEqual([1, 1]);
    },
  );
});
