import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { done, type Step } from '#test/models/scripted-model.ts';
import { apiRequest } from '#test/service/api-request.ts';
import {
  chatEnd,
  chatPiece,
  pieces,
  useScriptedService,
  textEnd,
  textPiece,
  textReader,
  total,
  usage,
} from '#test/service/scripted-service.ts';

const service = useScriptedService({ deadlineMs: 4000 });

const chat = { model: 'svc-1', messages: [{ role: 'user', content: 'Hi' }], stream: true };
const completion = { model: 'svc-1', prompt: 'Say it', stream: true };

describe('a stream format', () => {
  const envelope = (data: object) =>
    `data: ${JSON.stringify({ message: 'STREAM_CHUNK', error: false, data, status: 200 })}\n\n`;
  const end = 'data: {"message":"STREAM_COMPLETE","error":false,"data":null,"status":200}\n\n';

  it('matches the specification byte for byte for completions, with the usage in the last chunk', async () => {
    service.model.streams([...pieces.map(textPiece), textEnd, total, done]);
    const { id, text } = await service.streamed('/v1/completions', completion);
    const chunk = (piece: string) => ({ id: `cmpl-${id}`, choices: [{ text: piece, index: 0 }] });
    const expected = [...pieces.map((piece) => envelope(chunk(piece))), envelope({ ...chunk(''), usage }), end];
    expect(text).toBe(expected.join(''));
  });

  it('wraps OpenAI chunks in envelopes for chats, byte for byte', async () => {
    service.model.streams([...pieces.map(chatPiece), chatEnd, total, done]);
    const { id, text, envelopes } = await service.streamed('/v1/chat/completions', chat);
    const { created } = envelopes[0].data;
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      id: `chatcmpl-${id}`,
      object: 'chat.completion.chunk',
      created,
      model: 'svc-1',
      choices: [{ index: 0, delta, finish_reason }],
    });
    const [first, ...rest] = pieces;
    const expected = [
      envelope(chunk({ role: 'assistant', content: first })),
      ...rest.map((content) => envelope(chunk({ content }))),
      envelope({ ...chunk({}, 'stop'), usage }),
      end,
    ];
    expect(text).toBe(expected.join(''));
    expect(created).toBeGreaterThan(1_700_000_000);
  });
});

describe('cached tokens that the model reports', () => {
  const details = { prompt_tokens_details: { cached_tokens: 2 } };
  const reported = { ...usage, ...details };

  it.each([
    ['a chat', '/v1/chat/completions', chat, { message: { role: 'assistant', content: 'Hello' } }, chatPiece, chatEnd],
    ['a completion', '/v1/completions', completion, { text: 'Hello' }, textPiece, textEnd],
  ])('are in the usage of %s, whole and streamed', async (_, path, body, choice, pieceOf, ended) => {
    service.model.responds({ choices: [{ index: 0, finish_reason: 'stop', ...choice }], usage: reported });
    expect((await service.plain(path, { ...body, stream: false })).body.data.usage).toEqual(reported);
    service.model.streams([pieceOf('Hello'), ended, { choices: [], usage: reported }, done]);
    const { envelopes } = await service.streamed(path, body);
    expect(envelopes.at(-2)?.data.usage).toEqual(reported);
  });
});

describe.each([
  { name: 'a chat', path: '/v1/chat/completions', body: chat, pieceOf: chatPiece, ended: chatEnd },
  { name: 'a completion', path: '/v1/completions', body: completion, pieceOf: textPiece, ended: textEnd },
])('$name', ({ path, body, pieceOf, ended }) => {
  it.each([{}, { 'idempotency-key': `${path} before the first piece` }])(
    'costs nothing, and stops the model at once, if the client disconnects before the first piece (%j)',
    async (headers) => {
      const gone = Promise.withResolvers<void>();
      service.model.streams([() => gone.promise, ...pieces.map(pieceOf), () => service.model.ended()]);
      const invocations = service.model.invocations();
      const cost = await service.charged(async () => {
        const leaving = new AbortController();
        const request = apiRequest('POST', { key: service.person.key, body, headers });
        const reply = fetch(service.origin + path, { ...request, signal: leaving.signal });
        await expect.poll(() => service.model.invocations()).toBe(invocations + 1);
        const leftAt = performance.now();
        leaving.abort();
        await expect(reply).rejects.toMatchObject({ name: 'AbortError' });
        expect((await service.model.ended()) - leftAt).toBeLessThan(1000);
        gone.resolve();
      });
      expect(cost).toBe(0);
    },
  );

  it('sends its first piece before the model has generated the second', async () => {
    const second = Promise.withResolvers<void>();
    const [one = {}, ...others] = pieces.map(pieceOf);
    service.model.streams([one, () => second.promise, ...others, ended, total, done]);
    const read = textReader(await service.open(path, body));
    expect(await read((text) => text !== '')).toContain(pieces[0]);
    second.resolve();
    expect(await read((text) => text.includes('STREAM_COMPLETE'))).toContain(pieces.at(-1));
  });

  it('pauses the model while the client does not read', async () => {
    const made = { pieces: 0 };
    function* endless(): Generator<Step> {
      for (;;) {
        made.pieces += 1;
        yield pieceOf(' '.repeat(64));
      }
    }
    service.model.streams(endless());
    const cost = await service.charged(async () => {
      const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
      socket.pause();
      const text = JSON.stringify({ ...body, model: 'svc-1-32k', max_tokens: 30_000 });
      const head = [
        `POST ${path} HTTP/1.1`,
        `host: ${new URL(service.origin).host}`,
        `authorization: Bearer ${service.person.key}`,
      ];
      const about = ['content-type: application/json', `content-length: ${text.length}`];
      socket.write([...head, ...about, '', text].join('\r\n'));
      await expect.poll(() => made.pieces).toBeGreaterThan(10);
      // The buffers of sockets and streams hold megabytes of these small pieces, then the model pauses. A model that
      // exceeds its max_tokens would be stopped after about 60,000 pieces.
      const before = { pieces: 0 };
      while (before.pieces !== made.pieces) {
        Object.assign(before, made);
        await sleep(200);
      }
      expect(made.pieces).toBeLessThan(50_000);
      socket.destroy();
      await service.model.ended();
    });
    expect(cost).toBeGreaterThan(0);
  });
});
