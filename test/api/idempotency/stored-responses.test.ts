import { describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { isReplay, path, requestId, useIdempotentCalls } from '#test/requests/idempotent-calls.ts';
import { type ApiResponse, chat, code } from '#test/service/service.ts';

const running = useIdempotentCalls();
const { send, customer, advance, spent } = running;

describe('what is kept', () => {
  it("is a refusal by the model, which stays the request's own fault", async () => {
    const person = await customer();
    running.model.state.refuses = true;
    const first = await send(person.key, 'k');
    running.model.state.refuses = false;
    const second = await send(person.key, 'k');
    expect([code(first), code(second)]).toEqual(['400 INVALID_FORMAT', '400 INVALID_FORMAT']);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('x-original-request-id')).toBe(requestId(first));
    expect([isReplay(second), await spent(person)]).toEqual([true, [1, 0]]);
  });

  it('is no 5xx: the repeat runs, and is charged once', async () => {
    const person = await customer();
    await running.service.post('/_local/faults', { target: 'sagemaker', fault: 'error' });
    const responses = [await send(person.key, 'k'), await send(person.key, 'k'), await send(person.key, 'k')];
    expect(responses.map(code)).toEqual(['502 MODEL_ERROR', '200 SUCCESS', '200 SUCCESS']);
    expect(responses.map(isReplay)).toEqual([false, false, true]);
    expect(await spent(person)).toEqual([1, 1]);
  });

  it('is no 402: with credits the repeat runs', async () => {
    const person = await running.service.person({ credits: 0 });
    expect(code(await send(person.key, 'k'))).toBe('402 INSUFFICIENT_CREDITS');
    await services().subscriptions().assign(person.id, '2');
    expect(code(await send(person.key, 'k'))).toBe('200 SUCCESS');
  });

  it('is no 429: a minute later the repeat runs', async () => {
    const person = await running.service.person();
    for (let call = 0; call < 10; call++) await send(person.key, `k${call}`);
    expect(code(await send(person.key, 'k'))).toBe('429 RATE_LIMIT_EXCEEDED');
    await advance('PT63S');
    expect(code(await send(person.key, 'k'))).toBe('200 SUCCESS');
  });

  it('is no 403 by the plan: after an upgrade the repeat runs', async () => {
    const person = await running.service.person();
    const body = { ...chat(), model: 'svc-1-32k' };
    expect(code(await send(person.key, 'k', body))).toBe('403 INSUFFICIENT_PERMISSIONS');
    await services().subscriptions().assign(person.id, '4');
    expect(code(await send(person.key, 'k', body))).toBe('200 SUCCESS');
  });

  it('is nothing of a request that is wrong: put right, it runs with the same key', async () => {
    const person = await customer();
    expect(code(await send(person.key, 'k', { ...chat(), temperature: 3 }))).toBe('400 INVALID_FORMAT');
    expect(code(await send(person.key, 'k'))).toBe('200 SUCCESS');
  });

  it('is no response over 256 KB: the repeat is refused with the request that had it, and does not run', async () => {
    const person = await customer();
    running.model.state.content = 'x'.repeat(256 * 1024);
    const first = await send(person.key, 'k');
    await expectNoReplay(await send(person.key, 'k'), requestId(first));
    expect(await spent(person)).toEqual([1, 1]);
  });

  it('is no stream, be it under way or over', async () => {
    const person = await customer();
    running.model.state.delayMs = 500;
    const body = { ...chat(), stream: true };
    const headers = {
      authorization: `Bearer ${person.key}`,
      'content-type': 'application/json',
      'idempotency-key': 'k',
    };
    const first = await fetch(running.service.origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const original = first.headers.get('x-request-id');
    await expectNoReplay(await send(person.key, 'k', body), original);
    expect(await first.text()).toContain('STREAM_COMPLETE');
    await expectNoReplay(await send(person.key, 'k', body), original);
    expect(await spent(person)).toEqual([1, 1]);
  });

  async function expectNoReplay(response: ApiResponse, original: string | null): Promise<void> {
    expect(code(response)).toBe('409 REPLAY_UNAVAILABLE');
    expect(response.body.detail).toContain(original);
    expect(response.headers.get('x-original-request-id')).toBe(original);
  }

  it('is a response just below 256 KB', async () => {
    const person = await customer();
    running.model.state.content = 'é'.repeat(127 * 1024);
    const first = await send(person.key, 'k');
    expect((await send(person.key, 'k')).body).toEqual(first.body);
  });
});
