import { request as httpRequest } from 'node:http';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { useModelServer } from '#test/models/model-server.ts';
import { chat, type Person, useTestService } from '#test/service/service.ts';

const model = useModelServer();
const service = useTestService(() => ({ modelUrl: model.url }));

/** Credits charged once no call is open. */
async function charged({ id }: Person): Promise<number> {
  const find = async () => (await services().metering().find(id))!;
  await expect.poll(async () => (await find()).holds.size, { timeout: 8000 }).toBe(0);
  return 10 - (await find()).spendable / 1_000_000;
}

/** A machine that pauses for a second may change the order of arrival. */
const timing = { timeout: 30_000, retry: 2 };

it(
  'an SDK that gives up before the response and retries twice pays once only with an Idempotency-Key',
  timing,
  async () => {
    class IdempotentOpenAI extends OpenAI {
      protected override idempotencyHeader = 'Idempotency-Key';
    }
    model.state.delayMs = 2500;
    const body = { model: 'svc-1', messages: [{ role: 'user' as const, content: 'Hello' }] };
    const settings = async () => {
      const person = await service.person({ planRank: 4, credits: 10 });
      return {
        person,
        client: { apiKey: person.key, baseURL: `${service.origin}/openai/v1`, timeout: 1000, maxRetries: 2 },
      };
    };
    const people = [await settings(), await settings(), await settings()] as const;
    const [named, always, without] = people;
    const headers = { 'Idempotency-Key': 'order-17' };
    const [one, other, none] = await Promise.allSettled([
      new OpenAI(named.client).chat.completions.create(body, { headers }),
      new IdempotentOpenAI(always.client).chat.completions.create(body),
      new OpenAI(without.client).chat.completions.create(body),
    ]);
    const whole = {
      status: 'fulfilled',
      value: { choices: [{ message: { content: expect.stringMatching(/^ok \d$/) } }] },
    };
    expect([one, other]).toMatchObject([whole, whole]);
    expect(none).toMatchObject({ status: 'rejected', reason: expect.any(OpenAI.APIConnectionTimeoutError) });
    const charges = [];
    for (const { person: somebody } of people) charges.push(await charged(somebody));
    expect([model.state.runs, charges]).toEqual([5, [1, 1, 3]]);
  },
);

describe('a whole response whose client has disconnected', () => {
  it.each(['/v1/chat/completions', '/openai/v1/chat/completions'])(
    'is stored under its Idempotency-Key: %s',
    async (path) => {
      const person = await service.person({ planRank: 4, credits: 10 });
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
      expect(await charged(person)).toBe(1);
      const repeat = await fetch(service.origin + path, { method: 'POST', headers, body: JSON.stringify(chat()) });
      expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
      expect(await repeat.text()).toContain('ok 1');
      expect([model.state.runs, await charged(person)]).toEqual([1, 1]);
    },
  );
});
