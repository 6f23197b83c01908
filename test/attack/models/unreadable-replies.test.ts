import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resetEnvironment } from '#runtime/process.ts';
import { begun, chat, completion, embeddings } from '#test/models/hostile/hostile-calls.ts';
import { type Misdeed, startHostileRuntime, streamOf } from '#test/models/hostile/hostile-runtime.ts';
import {
  eventOf,
  framed,
  garbage,
  type Kind,
  type TextFamily,
  textFamilies,
  wholeReplyOf,
  wrongEvents,
  wrongReplies,
} from '#test/models/hostile/unreadable.ts';
import { contentOf, type ScriptedService, startScriptedService } from '#test/service/scripted-service.ts';

/** Maximum milliseconds for a complete reply, on a busy machine. */
const patience = 10_000;

let model: Awaited<ReturnType<typeof startHostileRuntime>>;
let service: ScriptedService;
beforeAll(async () => {
  model = await startHostileRuntime();
  const families = Object.fromEntries(Object.entries(textFamilies).map(([family, id]) => [id, family]));
  service = await startScriptedService({ families: families as never, url: model.url, deadlineMs: 20_000 });
});
afterAll(async () => {
  await service.close();
  await model.close();
});

const calls: (readonly [TextFamily, Kind, string, object])[] = (Object.keys(textFamilies) as TextFamily[]).flatMap(
  (family) => [
    [family, 'chat', '/v1/chat/completions', { ...chat, model: textFamilies[family] }] as const,
    [family, 'completion', '/v1/completions', { ...completion, model: textFamilies[family] }] as const,
  ],
);

const isEmptyEnd = /^\{"choices":\[\{"index":0,"finish_reason":"stop"(,"text":null)?\}\]\}$/;

const sends =
  (body: string | Buffer): Misdeed =>
  (res) =>
    begun({})(res).end(body);

/** The caller's result for each reply, and the total charge. */
async function refusalsOf(path: string, body: object, replies: readonly (readonly [string, Misdeed])[]) {
  const results: object[] = [];
  const cost = await service.charged(async () => {
    for (const [name, misdeed] of replies) {
      model.becomes(misdeed);
      const before = performance.now();
      const response = await service.open(path, body);
      const [, message] = /"message":"(\w+)"/.exec(await response.text()) ?? [];
      const isLate = performance.now() - before > patience;
      const charged = response.headers.get('x-credits-charged');
      results.push({ name, status: response.status, message, charged, isLate });
    }
  });
  return { results, cost };
}

const refused = (replies: readonly (readonly [string, unknown])[]) => ({
  results: replies.map(([name]) => ({ name, status: 502, message: 'MODEL_ERROR', charged: '0', isLate: false })),
  cost: 0,
});

describe.each(calls)('a container of %s for a %s', (family, kind, path, body) => {
  it('fails without a charge if it returns an unreadable whole reply', { timeout: 60_000 }, async () => {
    const wrong = wrongReplies(family, kind).map((reply) => [JSON.stringify(reply), JSON.stringify(reply)] as const);
    const replies = [...garbage, ...wrong].map(([name, text]) => [name, sends(text)] as const);
    expect(await refusalsOf(path, body, replies)).toEqual(refused(replies));
  });

  it('fails without a charge if it streams unreadable data', { timeout: 60_000 }, async () => {
    // A choice with only a finish reason ends an empty stream.
    const wrong = wrongReplies(family, kind).map((reply) => JSON.stringify(reply));
    const unreadable = wrong.filter((text) => !isEmptyEnd.test(text)).map((text) => [text, text] as const);
    const plain = [...garbage, ...unreadable];
    const inEvents = garbage.map(
      ([name, text]) =>
        [
          `${name}, as an event`,
          Buffer.concat([Buffer.from('data: '), Buffer.from(text as string), Buffer.from('\n\ndata: [DONE]\n\n')]),
        ] as const,
    );
    const events = wrongEvents(family, kind).map(
      (event) => [`event ${JSON.stringify(event)}`, `${framed(family, event)}data: [DONE]\n\n`] as const,
    );
    const replies = [...plain, ...inEvents, ...events].map(
      ([name, text]) => [name, streamOf(...inParts(text))] as const,
    );
    expect(await refusalsOf(path, { ...body, stream: true }, replies)).toEqual(refused(replies));
  });

  it('may return plain JSON to a streamed request, which is sent as one chunk and charged as a stream', async () => {
    const reply = wholeReplyOf(family, kind, 'Hello you');
    for (const [name, text] of [
      ['in one line', JSON.stringify(reply)],
      ['with a line end', `${JSON.stringify(reply)}\n`],
      ['indented', JSON.stringify(reply, null, 2)],
      ['indented, with line ends of Windows', JSON.stringify(reply, null, 2).replaceAll('\n', '\r\n')],
    ] as const) {
      model.becomes(streamOf(...inParts(text)));
      let envelopes: any[] = [];
      const cost = await service.charged(async () => {
        ({ envelopes } = await service.streamed(path, { ...body, stream: true }));
      });
      expect([name, contentOf(envelopes), envelopes.at(-1).message]).toEqual([name, 'Hello you', 'STREAM_COMPLETE']);
      expect([name, envelopes.filter((one) => contentOf([one]) !== '').length]).toEqual([name, 1]);
      expect([name, cost]).toEqual([name, kind === 'chat' ? 1_000_000 : 5000]);
      const openAi = await service.open(`/openai${path}`, { ...body, stream: true });
      expect(await openAi.text()).toMatch(/Hello you[^]*data: \[DONE\]\n\n$/);
    }
  });

  it('is read up to its first end if it ends its stream twice', async () => {
    const text = `${eventOf(family, kind, 'Hello')}${eventOf(family, kind, '', 'stop')}data: [DONE]\n\n`;
    model.becomes(streamOf(text, 'data: [DONE]\n\n', eventOf(family, kind, ' you'), '<html>'));
    const { envelopes } = await service.streamed(path, { ...body, stream: true });
    expect([contentOf(envelopes), envelopes.at(-1).message]).toEqual(['Hello', 'STREAM_COMPLETE']);
  });

  it('fails, with the text charged, if unreadable data follows streamed text', async () => {
    for (const rest of ['<html>\n', 'data: 5\n\n', '{"choices":[{"delta":{"content":{}},"text":{},"token":{}}]}\n']) {
      model.becomes(streamOf(eventOf(family, kind, 'Hello'), rest, 'data: [DONE]\n\n'));
      let envelopes: any[] = [];
      const cost = await service.charged(async () => {
        ({ envelopes } = await service.streamed(path, { ...body, stream: true }));
      });
      expect([rest, contentOf(envelopes), envelopes.at(-1).message]).toEqual([rest, 'Hello', 'MODEL_ERROR']);
      expect(cost).toBeGreaterThan(0);
    }
  });
});

describe.each(['vllm', 'lmi', 'tei'] as const)('a container of %s for embeddings', (family) => {
  beforeAll(() => {
    process.env['MODEL_ENDPOINTS'] = JSON.stringify({ 'svc-embed': { family } });
    resetEnvironment();
  });

  const vectors = (one: unknown, other: unknown) =>
    family === 'vllm' ? { data: [one, other].map((embedding, index) => ({ index, embedding })) } : [one, other];

  it('fails without a charge if it returns no vectors', { timeout: 60_000 }, async () => {
    const wrong = [
      ...[null, 5, 'x', [], {}, [[1, 2]], ['1', '2'], [null, 1], [0, 0], [1e39, 1], [1e-60, 0]].map((vector) =>
        vectors(vector, [1, 2]),
      ),
      vectors([1, 2], [1]),
      vectors([0, 0], [0, 0]),
      vectors([], []),
      [[1, 2]],
      { data: 'x' },
      {
        data: [
          [1, 2],
          [3, 4],
        ],
      },
    ].map((reply) => JSON.stringify(reply));
    const numbers = ['NaN', '1e400', '-1e400'].map((number) =>
      JSON.stringify(vectors('?', [1, 2])).replace('"?"', `[${number},1]`),
    );
    const replies = [...garbage, ...[...wrong, ...numbers].map((text) => [text, text] as const)].map(
      ([name, text]) => [name, sends(text)] as const,
    );
    expect(await refusalsOf('/v1/embeddings', embeddings, replies)).toEqual(refused(replies));
  });

  it('may return vectors of another length than in the catalog', async () => {
    model.becomes(sends(JSON.stringify(vectors([0, 2], [1, 0]))));
    const { status, body } = await service.plain('/v1/embeddings', embeddings);
    expect([status, body.data.data.map(({ embedding }: any) => embedding)]).toEqual([
      200,
      [
        [0, 2],
        [1, 0],
      ],
    ]);
  });

  it('fails without a charge if the vector lengths of two requests differ', async () => {
    const input = Array.from({ length: 40 }, (_, index) => `text ${index}`);
    let requests = 0;
    const { results, cost } = await refusalsOf('/v1/embeddings', { ...embeddings, input }, [
      [
        'in two lengths',
        (res) => {
          requests += 1;
          const texts = family === 'tei' ? (requests === 1 ? 32 : 8) : 40;
          const all = Array.from({ length: texts }, (_, index) => (requests + index === texts + 1 ? [1, 2] : [1]));
          const odd = family === 'tei' ? all.map(() => (requests === 1 ? [1, 2] : [1])) : all.with(0, [1, 2]);
          sends(
            JSON.stringify(family === 'vllm' ? { data: odd.map((embedding, index) => ({ index, embedding })) } : odd),
          )(res);
        },
      ],
    ]);
    expect([results, cost]).toMatchObject([[{ status: 502, message: 'MODEL_ERROR', charged: '0' }], 0]);
  });
});

/** In chunks of at most 256 KB, to fit into a stream message. */
function inParts(body: string | Buffer): Buffer[] {
  const bytes = Buffer.from(body as string);
  const size = 2 ** 18;
  return Array.from({ length: Math.max(1, Math.ceil(bytes.length / size)) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}
