import { describe, expect, it } from 'vitest';
import { type Person, useTestService } from '#test/service/service.ts';

const service = useTestService();

const post = ({ key }: Person, path: string, body: unknown) => service.call('POST', path, { key, body });
const words = (count: number): string => 'word '.repeat(count).trim();

describe('a call priced by the token', () => {
  it('runs if the credits cover its tokens, even if they do not cover its bytes', async () => {
    const person = await service.person({ credits: 1 });
    const body = { model: 'svc-1', prompt: words(700), max_tokens: 5 };
    const { status, headers } = await post(person, '/v1/completions', body);
    expect([status, headers.get('x-credits-charged')]).toEqual([200, '0.705']);
    const embedding = await post(person, '/v1/embeddings', { model: 'svc-embed', input: words(2_000) });
    expect([embedding.status, embedding.headers.get('x-credits-charged')]).toEqual([200, '0.2']);
  });

  it.each([{ max_tokens: 100 }, {}])('limits its output to the remaining credits: %j', async (limit) => {
    const person = await service.person({ credits: 0.007 });
    const { status, body, headers } = await post(person, '/v1/completions', {
      model: 'svc-1',
      prompt: 'Hello',
      ...limit,
    });
    expect(status).toBe(200);
    expect(body.data.usage).toEqual({ prompt_tokens: 1, completion_tokens: 6, total_tokens: 7 });
    expect(body.data.choices[0].finish_reason).toBe('length');
    expect(headers.get('x-credits-remaining')).toBe('0');
  });

  it('is refused without a charge with both numbers if the credits do not cover one token of output', async () => {
    const person = await service.person({ credits: 0.007 });
    const { status, body } = await post(person, '/v1/completions', { model: 'svc-1', prompt: words(7), max_tokens: 9 });
    expect([status, body.message]).toEqual([402, 'INSUFFICIENT_CREDITS']);
    expect(body.detail).toMatch(
      /^This call needs up to 0\.0\d+ credits; you have 0\.007 left\. Upgrade the plan or wait for the next month\./,
    );
    const { headers } = await post(person, '/v1/completions', { model: 'svc-1', prompt: 'Hello', max_tokens: 1 });
    expect(headers.get('x-credits-remaining')).toBe('0.005');
  });

  it('never spends the hold of another call, even for many concurrent calls', async () => {
    const person = await service.person({ credits: 0.02 });
    const complete = () => post(person, '/v1/completions', { model: 'svc-1', prompt: 'Hello', max_tokens: 100 });
    const responses = await Promise.all(Array.from({ length: 5 }, complete));
    const paid = responses.filter(({ status }) => status === 200).map(({ body }) => body.data.usage.total_tokens);
    expect(paid.length).toBeGreaterThan(0);
    expect(paid.reduce((sum, tokens) => sum + tokens, 0)).toBeLessThanOrEqual(20);
    expect(new Set(responses.map(({ status }) => status))).toEqual(
      paid.length < 5 ? new Set([200, 402]) : new Set([200]),
    );
  });
});
