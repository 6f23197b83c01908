import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { eventViolations, responseViolations } from '#test/contract/open-responses.ts';
import { done, type Step } from '#test/models/scripted-model.ts';
import { chatEnd, chatPiece, pieces, total, usage, useScriptedService } from '#test/service/scripted-service.ts';

const service = useScriptedService({ deadlineMs: 4000 });
const path = '/openai/v1/responses';
const body = { model: 'svc-1', input: 'Hi', stream: true };
const fn = (name: string) => ({ type: 'function', name });

const role = { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] };
const call = (name: string, text: string) => ({
  choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 'c', function: { name, arguments: text } }] } }],
});

/** The events of a stream, whose names equal their types. */
function eventsOf(text: string): any[] {
  const parts = text.split('\n\n').filter(Boolean);
  expect(parts.at(-1)).toBe('data: [DONE]');
  return parts.slice(0, -1).map((part) => {
    const [, name, data] = /^event: (\S+)\ndata: (.*)$/s.exec(part) ?? [];
    const event = JSON.parse(data ?? 'null');
    expect(event.type).toBe(name);
    return event;
  });
}

async function streamed(steps: readonly Step[], more: object = {}) {
  service.model.streams(steps);
  const { status, text, cost } = await service.priced(path, { ...body, ...more });
  expect(status).toBe(200);
  const events = eventsOf(text);
  expect(events.flatMap(eventViolations)).toEqual([]);
  expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, index) => index));
  return { events, cost, last: events.at(-1) };
}

const stored = async (id: string) => {
  const reply = await fetch(`${service.origin}${path}/${id}`, {
    headers: { authorization: `Bearer ${service.person.key}` },
  });
  return { status: reply.status, body: (await reply.json()) as any };
};

describe('a stream', () => {
  it('is stored as reported by its last event, and charged once', async () => {
    const { last, cost } = await streamed([role, ...pieces.map(chatPiece), chatEnd, total, done]);
    expect(last).toMatchObject({ type: 'response.completed', response: { store: true, usage: { total_tokens: 7 } } });
    expect(cost).toBe(1_000_000);
    expect(await stored(last.response.id)).toEqual({ status: 200, body: last.response });
    expect(responseViolations(last.response)).toEqual([]);
  });

  it('with store: false stores nothing', async () => {
    const { last } = await streamed([...pieces.map(chatPiece), chatEnd, total, done], { store: false });
    expect(last.response.store).toBe(false);
    expect((await stored(last.response.id)).status).toBe(404);
  });

  it('contains a reasoning item if the model reports its reasoning', async () => {
    const thought = { choices: [{ index: 0, delta: { reasoning_content: 'Hm. ' } }] };
    const { last } = await streamed([thought, chatPiece('Hi'), chatEnd, total, done]);
    expect(last.response.output).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'Hm. ' }] },
      { type: 'message' },
    ]);
  });

  it.each<[what: string, steps: Step[]]>([
    ['the model fails', [chatPiece('Grüß'), new Error('cut')]],
    ['the model calls a function that was not offered', [chatPiece('Grüß'), call('rm', '{}'), chatEnd, total, done]],
  ])('ends with error, response.failed and [DONE] if %s', async (_, steps) => {
    const { events, last, cost } = await streamed(steps, { tools: [fn('a')] });
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['error', 'response.failed']);
    expect(events.at(-2)).toMatchObject({ code: 'model_error', error: { type: 'model_error' } });
    expect(last.response).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
    expect(cost).toBe(1_000_000);
    expect((await stored(last.response.id)).status).toBe(404);
  });

  it('is truncated at its maximum if the model does not stop', async () => {
    const endless = Array.from({ length: 500 }, () => chatPiece('river bank '));
    const { last, cost } = await streamed([...endless, chatEnd, total, done], { max_output_tokens: 20 });
    expect(last).toMatchObject({
      type: 'response.incomplete',
      response: { incomplete_details: { reason: 'max_output_tokens' }, output: [{ status: 'incomplete' }] },
    });
    expect(cost).toBe(1_000_000);
  });

  it('uses our own token count if the model reports an impossible usage', async () => {
    const lie = { choices: [], usage: { ...usage, completion_tokens: 1e9, total_tokens: 1e9 } };
    const { last } = await streamed([...pieces.map(chatPiece), chatEnd, lie, done]);
    expect(last.response.usage.output_tokens).toBeLessThan(20);
  });

  it.each([
    ['at once', () => service.model.responds({ error: { message: 'CUDA', code: 500 } }, 500)],
    ['before its first piece', () => service.model.streams([role, () => sleep(50), new Error('cut')])],
  ])('returns 502 and costs nothing if the model fails %s', async (_, fails) => {
    fails();
    const { status, text, cost } = await service.priced(path, body);
    expect([status, cost]).toEqual([502, 0]);
    expect(JSON.parse(text).error).toMatchObject({ type: 'model_error', code: 'model_error', param: null });
  });
});

describe('a client that disconnects', () => {
  /** Reads events until there are `count`; the model waits at each gate for the client. Returns the response's id. */
  async function leaveAfter(count: number): Promise<string> {
    const gates = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
    const waits = gates.map((gate) => () => gate.promise);
    const [first, second, third] = waits;
    service.model.streams([chatPiece('a'), first!, chatPiece('b'), second!, chatEnd, total, third!, done]);
    const leaving = new AbortController();
    const reply = await service.open(path, body, leaving.signal);
    const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    let next = reader.read();
    const ends = () => text.split('\n\n').length - 1;
    for (let gate = 0; ends() < count;) {
      const read = await Promise.race([next, sleep(50)]);
      if (read) {
        if (read.done) throw new Error(`the stream ended early: ${text}`);
        text += read.value;
        next = reader.read();
      } else gates[gate++]?.resolve();
    }
    next.catch(() => undefined);
    leaving.abort();
    await Promise.race([service.model.ended(), sleep(500)]);
    for (const gate of gates) gate.resolve();
    return JSON.parse(/data: (.*)/.exec(text)![1]!).response.id;
  }

  /** created, in_progress, added ×2, delta ×2, done ×3, completed. */
  const allEvents = 10;

  it.each(Array.from({ length: allEvents - 1 }, (_, index) => index + 1))(
    'after event %i is charged for the delivered text, and nothing is stored',
    async (count) => {
      let id = '';
      const cost = await service.charged(async () => {
        id = await leaveAfter(count);
      });
      expect(cost).toBe(1_000_000);
      // From the end of the text on, the rest is complete before the client can leave.
      if (count < 7) expect((await stored(id)).status).toBe(404);
    },
  );

  it('after the last event can retrieve the stored response', async () => {
    let id = '';
    const cost = await service.charged(async () => {
      id = await leaveAfter(allEvents);
    });
    expect(cost).toBe(1_000_000);
    expect(await stored(id)).toMatchObject({ status: 200, body: { status: 'completed' } });
  });
});

describe('a cancelled stream', () => {
  const post = (url: string) =>
    fetch(`${service.origin}${url}`, { method: 'POST', headers: { authorization: `Bearer ${service.person.key}` } });

  it('stops the model, and ends with response.failed', async () => {
    service.model.streams([role, chatPiece('Hi'), () => service.model.ended()]);
    const reply = await service.open(path, body);
    const id = `resp_${reply.headers.get('x-request-id')}`;
    const cancelled = await post(`${path}/${id}/cancel`);
    expect(cancelled.status).toBe(200);
    const response = (await cancelled.json()) as any;
    expect(response).toMatchObject({ id, status: 'cancelled', model: 'svc-1', output: [] });
    expect(responseViolations(response)).toEqual([]);
    const events = eventsOf(await reply.text());
    expect(events.flatMap(eventViolations)).toEqual([]);
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { error: { code: 'request_cancelled' } },
    });
    expect((await stored(id)).status).toBe(404);
  });

  it('cannot be cancelled after its end or with an unknown id', async () => {
    const { last } = await streamed([...pieces.map(chatPiece), chatEnd, total, done]);
    const ended = await post(`${path}/${last.response.id}/cancel`);
    expect([ended.status, await ended.json()]).toMatchObject([400, { error: { param: 'response_id' } }]);
    const unknown = await post(`${path}/resp_unknown/cancel`);
    expect([unknown.status, await unknown.json()]).toMatchObject([
      404,
      { error: { message: 'Response with id resp_unknown not found.', param: 'response_id', code: 'not_found' } },
    ]);
  });
});
