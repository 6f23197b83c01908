import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContainerFamily } from '#contract/offer/offer.ts';
import { resetEnvironment } from '#runtime/process.ts';
import { drawing } from '#test/many.ts';
import { begun, chat, completion, embeddings } from '#test/models/hostile/hostile-calls.ts';
import { type Misdeed, startHostileRuntime, streamOf } from '#test/models/hostile/hostile-runtime.ts';
import { contentOf, type ScriptedService, startScriptedService } from '#test/service/scripted-service.ts';

/** Families that generate text, with the model that each one runs. */
const textFamilies = { vllm: 'svc-1', lmi: 'svc-instruct', tgi: 'svc-code' } as const;
type TextFamily = keyof typeof textFamilies & ContainerFamily;
type Kind = 'chat' | 'completion';

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** Bodies that no family would send as a reply. */
const garbage: readonly (readonly [string, string | Buffer])[] = [
  ['an empty body', ''],
  ['blank lines', '\n\n \r\n'],
  ['HTML', '<!doctype html>\n<html><body>502 Bad Gateway</body></html>\n'],
  ['text', 'Internal Server Error'],
  ['a number', '5'],
  ['null', 'null'],
  ['a JSON string', '"Hello"'],
  ['an empty list', '[]'],
  ['an empty object', '{}'],
  ['lists nested deep', nested(100_000)],
  ['JSON that is cut', '{"choices":[{"text":"Hello","message":{"content":"Hello'],
  ['bytes that are not UTF-8', Buffer.of(0xff, 0xfe, 0x7b, 0xc3, 0x28)],
  ['one line of 3 MB', `{"choices":"${'x'.repeat(3 * 2 ** 20)}`],
  ['choices of null', '{"choices":null}'],
  ['choices that are text', '{"choices":"Hello"}'],
  ['choices that are an object', '{"choices":{"0":{"text":"Hello","message":{"content":"Hello"}}}}'],
  ['a choice of null', '{"choices":[null]}'],
  ['a choice that is text', '{"choices":["Hello"]}'],
  ['choices nested deep', `{"choices":${nested(10_000)}}`],
];

const wrongTexts = [5, true, {}, { text: 'Hello' }, ['Hello'], [[['Hello']]]];
const wrongCalls = [
  'x',
  5,
  [5],
  [null],
  [{ function: null }],
  [{ function: 'f' }],
  [{ function: { name: 5, arguments: '{}' } }],
  [{ function: { name: ['f'], arguments: '{}' } }],
  [{ function: { name: 'f', arguments: 5 } }],
];
const wrongMessages = [
  5,
  'Hello',
  ['Hello'],
  [[['Hello']]],
  ...wrongTexts.map((content) => ({ role: 'assistant', content })),
  ...wrongCalls.map((tool_calls) => ({ role: 'assistant', content: 'Hello', tool_calls })),
];

const stop = { index: 0, finish_reason: 'stop' };

/** Whole replies with a wrong type at one field. */
function wrongReplies(family: TextFamily, kind: Kind): readonly unknown[] {
  if (kind === 'chat') {
    const messages = [null, undefined, ...wrongMessages];
    return [
      ...messages.map((message) => ({ choices: [{ ...stop, message }] })),
      { choices: [{ ...stop, text: 'Hello' }] },
      { choices: [{ ...stop, finish_reason: 5, message: { content: 'Hello' } }] },
    ];
  }
  const texts = [null, undefined, ...wrongTexts];
  if (family === 'tgi') return [...texts.map((generated_text) => ({ generated_text })), [[{ generated_text: 'a' }]]];
  return [
    ...texts.map((text) => ({ choices: [{ ...stop, text }] })),
    { choices: [{ ...stop, message: { content: 'Hello' } }] },
    { choices: [{ ...stop, finish_reason: ['stop'], text: 'Hello' }] },
  ];
}

/** Stream events with a wrong type at one field, each with a finish reason. */
function wrongEvents(family: TextFamily, kind: Kind): readonly unknown[] {
  if (kind === 'chat') {
    return [
      ...wrongMessages.map((delta) => ({ choices: [{ ...stop, delta }] })),
      { choices: [{ ...stop, text: 'Hello' }] },
      { choices: [{ ...stop, finish_reason: 5, delta: { content: 'Hello' } }] },
    ];
  }
  if (family === 'tgi') {
    const tokens = [null, undefined, 'Hello', ['Hello'], ...[null, ...wrongTexts].map((text) => ({ id: 1, text }))];
    return tokens.map((token) => ({ token, details: { finish_reason: 'eos_token', generated_tokens: 1 } }));
  }
  return [
    ...wrongTexts.map((text) => ({ choices: [{ ...stop, text }] })),
    { choices: [{ ...stop, delta: { content: 'Hello' } }] },
    { choices: [{ ...stop, finish_reason: ['stop'], text: 'Hello' }] },
  ];
}

/** A complete unstreamed reply of a family. */
function wholeReplyOf(family: TextFamily, kind: Kind, text: string): unknown {
  const usage = { prompt_tokens: 3, completion_tokens: 2 };
  if (kind === 'chat')
    return { object: 'chat.completion', choices: [{ ...stop, message: { role: 'assistant', content: text } }], usage };
  if (family === 'tgi')
    return [{ generated_text: text, details: { finish_reason: 'eos_token', generated_tokens: 2, prefill: [1, 2, 3] } }];
  return { object: 'text_completion', choices: [{ ...stop, text }], usage };
}

/** An event of a family's stream as on the wire: a text piece, or the finish reason. */
function eventOf(family: TextFamily, kind: Kind, text: string, reason: string | null = null): string {
  const event =
    kind === 'chat'
      ? { choices: [{ index: 0, delta: { content: text }, finish_reason: reason }] }
      : family === 'tgi'
        ? { token: { id: 1, text, special: false }, generated_text: null, details: reason && { finish_reason: reason } }
        : { choices: [{ index: 0, text, finish_reason: reason }] };
  return framed(family, event);
}

/** JSON lines, or server-sent events. */
const framed = (family: TextFamily, event: unknown): string =>
  family === 'lmi' ? `${JSON.stringify(event)}\n` : `data: ${JSON.stringify(event)}\n\n`;

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

const draw = drawing();

describe.each(calls)('a container of %s for a %s', (family, kind, path, body) => {
  it('fails without a charge if it returns an unreadable whole reply', { timeout: 60_000 }, async () => {
    const wrong = wrongReplies(family, kind).map((reply) => [JSON.stringify(reply), JSON.stringify(reply)] as const);
    const replies = draw([...garbage, ...wrong], 12).map(([name, text]) => [name, sends(text)] as const);
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
    const replies = draw([...plain, ...inEvents, ...events], 20).map(
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

  it('may return vectors of a length other than in the catalog', async () => {
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
