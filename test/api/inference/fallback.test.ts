import { beforeEach, describe, expect, it } from 'vitest';
import type { FaultOrder } from '#local/shared/faults.ts';
import { resetEnvironment } from '#runtime/process.ts';
import { atLength } from '#test/many.ts';
import { done } from '#test/models/scripted-model.ts';
import {
  chatEnd,
  chatPiece,
  contentOf,
  pieces,
  textEnd,
  textPiece,
  textReader,
  total,
  usage,
  useScriptedService,
} from '#test/service/scripted-service.ts';

const spare = 'spare';
const service = useScriptedService({
  fallbacks: { 'svc-1': [spare], 'svc-embed': ['spare-embed'] },
  deadlineMs: 3000,
});

const credit = 1_000_000;
const chat = { model: 'svc-1', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 20 };
const reply = { choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }], usage };
const streamed = { ...chat, stream: true };

type Fault = 'error' | 'throttle' | 'unavailable' | 'hang' | 'cut' | 'none';
const fail = (fault: Fault, { endpoint = 'svc-1', ...more }: Partial<FaultOrder> & { endpoint?: string } = {}): void =>
  service.model.faults.order({ target: 'sagemaker', fault, count: 1, ...more, endpoint } as FaultOrder);

/** Forgets which endpoints failed. */
beforeEach(() => {
  resetEnvironment();
  for (const endpoint of ['svc-1', spare, 'svc-embed']) fail('none', { endpoint });
});

describe('a model with a fallback', () => {
  it.each(['error', 'hang'] as const)('charges a call once if the first endpoint suffers %s', async (fault) => {
    service.model.responds(reply);
    fail(fault);
    const { status, cost, text } = await service.priced('/v1/chat/completions', chat);
    expect([status, cost, JSON.parse(text).data.choices[0].message.content]).toEqual([200, credit, 'Hello']);
    expect(service.model.faults.active()).toEqual([]);
  });

  it.each(['throttle', 'hang'] as const)('streams once if the first endpoint suffers %s', async (fault) => {
    service.model.streams([...pieces.map(chatPiece), chatEnd, total, done]);
    fail(fault);
    let text = '';
    const cost = await service.charged(async () => {
      text = contentOf((await service.streamed('/v1/chat/completions', streamed)).envelopes);
    });
    expect([text, cost]).toEqual([pieces.join(''), credit]);
  });

  it('ends a stream that fails after the first output, and charges it like any interrupted stream', async () => {
    service.model.streams([...pieces.map(textPiece), textEnd, total, done]);
    fail('cut');
    const before = service.model.invocations();
    let envelopes: any[] = [];
    const cost = await service.charged(async () => {
      ({ envelopes } = await service.streamed('/v1/completions', { model: 'svc-1', prompt: 'Hi', stream: true }));
    });
    expect(contentOf(envelopes)).toBe(pieces.slice(0, 3).join(''));
    expect(envelopes.at(-1)).toMatchObject({ error: true, status: 502 });
    expect(cost).toBeGreaterThan(0);
    expect(service.model.invocations() - before).toBe(1);
  });

  it('costs nothing if both endpoints fail', async () => {
    service.model.responds(reply);
    fail('error');
    fail('throttle', { endpoint: spare });
    expect(await service.priced('/v1/chat/completions', chat)).toMatchObject({ status: 503, cost: 0 });
  });

  it('returns a rejection by the model without calling the second endpoint', async () => {
    service.model.responds({ error: { message: 'top_p must be in (0, 1], got 0.', code: 400 } }, 400);
    const before = service.model.invocations();
    const { status, cost, text } = await service.priced('/v1/chat/completions', chat);
    expect([status, cost, service.model.invocations() - before]).toEqual([400, 0, 1]);
    expect(text).toContain('The model rejected the request: top_p must be in (0, 1], got 0.');
  });

  it.each([
    ['the first', []],
    ['the second', ['error']],
  ] as const)('stops %s when its caller disconnects', async (_, faults) => {
    let isSilent: Promise<unknown> = new Promise(() => undefined);
    service.model.streams([chatPiece('Hello'), () => isSilent]);
    for (const fault of faults) fail(fault);
    const cost = await service.charged(async () => {
      const caller = new AbortController();
      const read = textReader(await service.open('/v1/chat/completions', streamed, caller.signal));
      await read((text) => text.includes('Hello'));
      caller.abort();
      await service.model.ended();
      isSilent = Promise.resolve();
    });
    expect(cost).toBe(credit);
  });

  it('serves and charges every call once while 30% of the first endpoint’s responses fail', async () => {
    // A busy machine may need more than the deadline of the other tests.
    process.env['MODEL_DEADLINE_MS'] = '30000';
    service.model.responds(reply);
    const [calls, concurrent] = [atLength(200, 1000), 20];
    const results: { status: number; ms: number }[] = [];
    const before = service.model.invocations();
    const cost = await service.charged(async () => {
      for (let begun = 0; begun < calls; begun += concurrent) {
        // A new environment, whose first call does not know of earlier failures.
        resetEnvironment();
        fail('unavailable', { count: 10_000, rate: 0.3 });
        const batch = Array.from({ length: Math.min(concurrent, calls - begun) }, async () => {
          const start = performance.now();
          const { status, body } = await service.plain('/v1/chat/completions', chat);
          expect(body.data.choices[0].message.content).toBe('Hello');
          results.push({ status, ms: performance.now() - start });
        });
        await Promise.all(batch);
      }
    });
    expect(results.filter(({ status }) => status === 200)).toHaveLength(calls);
    expect([cost, service.model.invocations() - before]).toEqual([calls * credit, calls]);
  });
});
