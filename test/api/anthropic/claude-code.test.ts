import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeFolder, testFolder } from '#test/folder.ts';
import { claudeCodeHeaders, claudeCodeRequest, claudeCodeResult } from '#test/requests/claude-code.ts';
import { exampleOffer, startOffered } from '#test/service/offered-service.ts';
import { chatEnd, chatPiece, tokensOf, useScriptedService } from '#test/service/scripted-service.ts';

const delta = (value: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: value, finish_reason }],
});
const opened = delta({
  role: 'assistant',
  tool_calls: [{ index: 0, id: 'call_0', type: 'function', function: { name: 'Bash', arguments: '' } }],
});
const more = (text: string) => delta({ tool_calls: [{ index: 0, function: { arguments: text } }] });
const listing = [
  delta({ reasoning_content: 'A list.' }),
  opened,
  more('{"comm'),
  more('and":"ls"}'),
  delta({}, 'tool_calls'),
];
const answer = [chatPiece('There is '), chatPiece('README.md.'), chatEnd];

/** Sends a request as Claude Code does, and returns the message and the tokens at its start. */
async function turn(origin: string, authToken: string, body: object) {
  const client = new Anthropic({
    baseURL: `${origin}/anthropic`,
    apiKey: null,
    authToken,
    maxRetries: 0,
    defaultHeaders: claudeCodeHeaders,
  });
  const stream = client.beta.messages.stream(body as never);
  let started = 0;
  stream.on('streamEvent', (event) => {
    if (event.type === 'message_start') started = event.message.usage.input_tokens;
  });
  return { message: await stream.finalMessage(), started };
}

it('the recorded request has the size and the parts of a real request', () => {
  const request = claudeCodeRequest('svc-1');
  expect(JSON.stringify(request).length).toBeGreaterThan(75_000);
  expect(JSON.stringify(request).length).toBeLessThan(80_000);
  expect(request.tools).toHaveLength(24);
  expect(request.messages[1]).toMatchObject({ role: 'system' });
});

describe('Claude Code on a model of 128k tokens', () => {
  const requests: any[] = [];
  let reply: readonly object[] = [];
  let models: Server;
  let folder: string;
  let service: Awaited<ReturnType<typeof startOffered>>;

  async function respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    requests.push(await json(req));
    res.setHeader('content-type', 'text/event-stream');
    for (const event of reply) res.write(`data: ${JSON.stringify(event)}\n\n`);
    res.end('data: [DONE]\n\n');
  }

  beforeAll(async () => {
    models = createServer((req, res) => void respond(req, res)).listen(0, '127.0.0.1');
    await once(models, 'listening');
    const url = `http://127.0.0.1:${(models.address() as AddressInfo).port}/v1`;
    folder = await testFolder();
    const own = JSON.stringify(await exampleOffer()).replaceAll('https://models.acme.example/v1', url);
    service = await startOffered(JSON.parse(own), folder, { env: { ACME_MODELS: 'model-secret' } });
  });

  afterAll(async () => {
    await service.stop();
    models.close();
    await removeFolder(folder);
  });

  /** Credits of the newest ledger row, once there are this many. */
  async function newestCharge(rows: number): Promise<unknown> {
    const find = async () => {
      const { body } = await service.call('GET', '/api/credits?limit=10');
      return body.data.entries.filter(({ credits }: any) => credits < 0);
    };
    await expect.poll(async () => (await find()).length, { timeout: 20_000 }).toBe(rows);
    return (await find())[0].credits;
  }

  it('calls a tool and responds with its result, and each turn is charged for its tokens', async () => {
    reply = listing;
    const first = await turn(service.origin, service.key, claudeCodeRequest('acme'));
    const { content, stop_reason: reason, usage } = first.message;
    expect(reason).toBe('tool_use');
    expect(content).toMatchObject([
      { type: 'thinking', thinking: 'A list.' },
      { type: 'tool_use', name: 'Bash', input: { command: 'ls' } },
    ]);
    const sent = requests.at(-1);
    expect(sent).toMatchObject({ max_tokens: 32_000, tool_choice: 'auto', stream: true });
    expect(sent.tools).toHaveLength(24);
    expect(sent.tools[0].function.parameters).toEqual(claudeCodeRequest('acme').tools[0]?.input_schema);
    expect(sent.messages.map(({ role }: any) => role)).toEqual(['system', 'user', 'system', 'user']);

    // The model reports no usage, so our count is charged, which the first event of the stream reports.
    expect(first.started).toBeGreaterThan(10_000);
    expect(usage).toMatchObject({ input_tokens: first.started });
    expect(usage.output_tokens).toBe(await tokensOf('A list.Bash{"command":"ls"}'));
    expect(await newestCharge(1)).toBe(-(first.started * 2 + usage.output_tokens * 8) / 1e6);

    reply = [
      ...answer,
      {
        choices: [],
        usage: { prompt_tokens: 18_000, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 17_000 } },
      },
    ];
    const id = content[1]?.type === 'tool_use' ? content[1].id : '';
    const next = claudeCodeRequest('acme', claudeCodeResult(content, id, 'README.md'));
    const second = await turn(service.origin, service.key, next);
    expect(second.message).toMatchObject({
      content: [{ type: 'text', text: 'There is README.md.' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1000, cache_read_input_tokens: 17_000, output_tokens: 9 },
    });
    expect(second.started).toBeGreaterThan(first.started);
    expect(requests.at(-1).messages.slice(4)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name: 'Bash', arguments: '{"command":"ls"}' } }],
      },
      { role: 'tool', tool_call_id: id, name: 'Bash', content: 'README.md' },
      { role: 'user', content: expect.stringContaining('The task list is empty.') },
    ]);
    // 1,000 tokens at 2, 17,000 at 0.5 and 9 at 8 credits per million.
    expect(await newestCharge(2)).toBe(-0.010572);
  });
});

describe('Claude Code on a model of 32k tokens', () => {
  const service = useScriptedService();

  it('receives an output that is reduced to the tokens that remain after the prompt', async () => {
    let sent: any;
    service.model.becomes({
      invoke: async (body) => {
        sent = body;
        const events = answer.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
        return { kind: 'stream', contentType: 'text/event-stream', chunks: inOnePiece(`${events}data: [DONE]\n\n`) };
      },
    });
    let started = 0;
    const cost = await service.charged(async () => {
      const done = await turn(service.origin, service.person.key, claudeCodeRequest('svc-1-32k'));
      expect(done.message.content).toMatchObject([{ text: 'There is README.md.' }]);
      started = done.started;
    });
    expect(sent.max_tokens).toBe(32_768 - started);
    expect(sent.max_tokens).toBeGreaterThan(10_000);
    expect(cost).toBe(1_000_000);
  });

  it('receives 400 with the token counts if the conversation leaves fewer than 1,024 tokens', async () => {
    const words = [{ role: 'user', content: 'word '.repeat(20_000) }];
    const { status, body } = await service.plain('/anthropic/v1/messages', claudeCodeRequest('svc-1-32k', words));
    expect([status, body]).toMatchObject([400, { error: { type: 'invalid_request_error' } }]);
    expect(body.error.message).toMatch(/^context_length_exceeded: svc-1-32k accepts 32768 tokens/);
  });

  async function* inOnePiece(events: string): AsyncGenerator<Buffer> {
    yield Buffer.from(events);
  }
});
