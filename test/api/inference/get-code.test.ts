import { spawn, spawnSync } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { json, text } from 'node:stream/consumers';
import type { ReadableStream } from 'node:stream/web';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeFolder, testFolder } from '#test/folder.ts';
import { atLength } from '#test/many.ts';
import { numberFor, reached } from '#test/messages/sender.ts';
import { hostileTexts } from '#test/requests/code-texts.ts';
import { useTestService } from '#test/service/service.ts';
import type { ChatBody, CodeRequest } from '../../../dashboard/src/lib/code/code-request.ts';
import { openAiBody } from '../../../dashboard/src/lib/code/sdk-code.ts';
import { codeSnippets } from '../../../dashboard/src/lib/code/snippets.ts';

interface RecordedRequest {
  readonly path: string;
  readonly body: any;
}

/** Forwards requests with a JSON body to a service, and records them. */
async function startRecordingProxy(target: string) {
  const requests: RecordedRequest[] = [];
  const server = createServer((request, response) => void pass(request, response));

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = '', headers } = request;
    const body = await json(request);
    const once = headers['idempotency-key'];
    requests.push({ path, body });
    const {
      status,
      headers: received,
      body: bytes,
    } = await fetch(target + path, {
      method: 'POST',
      headers: {
        authorization: headers.authorization ?? '',
        'content-type': headers['content-type'] ?? '',
        ...(typeof once === 'string' && { 'idempotency-key': once }),
      },
      body: JSON.stringify(body),
    });
    response.writeHead(status, { 'content-type': received.get('content-type') ?? '' });
    Readable.fromWeb(bytes as ReadableStream).pipe(response);
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The requests since the last call. */
    taken: () => requests.splice(0),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const root = new URL('../../../', import.meta.url).pathname;
const succeeds = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;
const hasRequests = succeeds('python3', '-c', 'import requests');
const canRun: Readonly<Record<string, boolean>> = {
  curl: succeeds('curl', '--version'),
  python: hasRequests,
  'openai-python': succeeds('python3', '--version'),
};
const languages = ['curl', 'python', 'javascript', 'openai-python', 'openai-node', 'ai-sdk'].filter(
  (id) => canRun[id] !== false,
);

const service = useTestService();
let proxy: Awaited<ReturnType<typeof startRecordingProxy>>;
let key: string;
let folder: string;
beforeAll(async () => {
  proxy = await startRecordingProxy(service.origin);
  ({ key } = await service.person({ planRank: 4 }));
  folder = await testFolder();
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const speech = { text: 'The river is wide.', format: 'wav' };
  const { body } = await service.call('POST', '/api/ai/speech', { key, body: speech });
  await writeFile(join(folder, 'river.wav'), Buffer.from(body.data.audio, 'base64'));
});
afterAll(async () => {
  await proxy.close();
  await removeFolder(folder);
});

const commands: Readonly<Record<string, readonly [string, ...string[]]>> = {
  curl: ['sh', '-eu'],
  python: ['python3', '-'],
  'openai-python': ['python3', '-'],
};

/** Runs a snippet in a folder of its own, and returns its output. */
async function outputOf(request: CodeRequest, id: string, origin = service.origin): Promise<string> {
  const code = codeSnippets(origin, request).find((snippet) => snippet.id === id)?.code ?? '';
  const [command, ...args] = commands[id] ?? [process.execPath, '--input-type=module', '-'];
  const env = {
    ...process.env,
    API_KEY: key,
    PYTHONPATH: join(root, 'test/support/python'),
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONIOENCODING: 'utf8',
    HOME: folder,
  };
  const child = spawn(command, args, { cwd: folder, env });
  child.stdin.end(code);
  return (await Promise.all([text(child.stdout), text(child.stderr)])).join('');
}

/** Runs a snippet. Returns its output and the body that it sent. */
async function run(request: CodeRequest, id: string) {
  const out = await outputOf(request, id, proxy.origin);
  const [sent] = proxy.taken();
  if (!sent) throw new Error(`nothing was sent: ${out}`);
  return { out, body: sent.body, path: sent.path };
}

const functions = [
  {
    name: 'find_weather',
    description: 'The weather of a city: it\'s "${now}"',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
];
const weather: ChatBody = {
  model: 'svc-1',
  messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
  functions,
  function_call: 'auto',
};

describe.each(languages)('code in %s', (id) => {
  const isOurs = ['curl', 'python', 'javascript'].includes(id);

  it.each([false, true])('sends every text unchanged, and prints the response; streamed: %s', async (stream) => {
    const body: ChatBody = {
      model: 'svc-1',
      messages: hostileTexts.map((content) => ({ role: 'user', content })),
      max_tokens: 30,
      temperature: 0.5,
      top_k: 40,
      stop: ["it's\n"],
      stream,
    };
    const sent = await run({ kind: 'chat', body }, id);
    expect(sent.out).toMatch(/demo|\w+ \w+/);
    expect(sent.body.messages.map(({ content }: { content: string }) => content)).toEqual(hostileTexts);
    const { messages: _, stream: __, ...parameters } = body;
    expect(sent.body).toMatchObject(parameters);
    expect(sent.body.stream ?? false).toBe(stream);
    if (isOurs) expect(sent.body).toEqual(body);
    if (id === 'openai-node' || id === 'openai-python') expect(sent.body).toEqual(openAiBody(body));
  });

  it.each(atLength([true], [false, true]))(
    'offers functions, and prints the function call; streamed: %s',
    async (stream) => {
      const { out, body } = await run({ kind: 'chat', body: { ...weather, stream } }, id);
      expect(out).toContain('find_weather');
      expect(out).toContain('Paris');
      const offered = isOurs ? body.functions[0] : body.tools[0].function;
      expect(offered).toMatchObject(functions[0]!);
    },
  );

  it('continues after a function call with its result', async () => {
    const messages: ChatBody['messages'] = [
      { role: 'system', content: 'Be brief' },
      ...weather.messages,
      { role: 'assistant', content: '', function_call: { name: 'find_weather', arguments: '{"city":"Paris"}' } },
      { role: 'function', name: 'find_weather', content: '{"sky": "clear"}' },
    ];
    const { out } = await run({ kind: 'chat', body: { ...weather, messages } }, id);
    expect(out).toMatch(/sky is clear/);
  });

  it("supports completions, embeddings, analysis and translation as far as the language's SDK does", async () => {
    const prompt = 'Once upon a time';
    const completion: CodeRequest = { kind: 'completion', body: { model: 'svc-instruct', prompt, max_tokens: 5 } };
    if (id !== 'ai-sdk') expect((await run(completion, id)).body).toEqual(completion.body);
    const embedded = await run({ kind: 'embeddings', body: { model: 'svc-embed', input: ['a'], dimensions: 3 } }, id);
    expect(embedded.body).toMatchObject({ model: 'svc-embed', input: ['a'], dimensions: 3 });
    expect(embedded.out).toMatch(/-?0\.\d+/);
    if (!isOurs) return;
    const body = { text: "It's a river.", sourceLanguage: 'en', targetLanguage: 'fr' };
    const translated = await run({ kind: 'translation', body }, id);
    expect(translated).toMatchObject({ body, path: '/api/ai/translate' });
    expect(translated.out).not.toBe('');
    const text = "It's superb: 你好.";
    const analyzed = await run({ kind: 'analysis', body: { text, analyses: ['sentiment', 'key_phrases'] } }, id);
    expect(analyzed).toMatchObject({ body: { text }, path: '/api/ai/analyze' });
    expect(analyzed.out).toContain('positive');
  });

  it('sends a message once, even if it runs repeatedly', async ({ skip }) => {
    if (!isOurs) skip();
    const body = { channel: 'sms' as const, to: numberFor(), text: "It's ready: 你好." };
    const message: CodeRequest = { kind: 'message', body, idempotencyKey: `once-${id}` };
    const [first, again] = [await run(message, id), await run(message, id)];
    expect(first).toMatchObject({ body, path: '/api/messages' });
    const sent = /msg_\w+/.exec(first.out)?.[0];
    expect([sent?.length, again.out]).toEqual([24, expect.stringContaining(sent ?? '-')]);
    expect(await reached(service, body.to)).toHaveLength(1);
  });
});

const hasJq = succeeds('sh', '-c', 'command -v jq');
/** The OpenAI SDKs have no transcription jobs. */
const hasLong = (id: string) => !id.startsWith('openai') && (id !== 'curl' || hasJq);

/** Contains the quotes and substitutions of each language. */
const words = `Good morning. It's "half" past $HOME, \${API_KEY} and \`id\`.`;

describe.each(languages.filter((id) => id !== 'ai-sdk' && (id !== 'openai-python' || hasRequests)))(
  'code for audio in %s',
  (id) => {
    it('converts a text to a speech file, and transcribes that file with timestamps', async () => {
      const body = { text: words, voice: 'nova', format: 'wav', speed: 1.25 } as const;
      const spoken = await outputOf({ kind: 'speech', body }, id);
      if (id !== 'curl') expect(spoken).toBe('speech.wav\n');
      expect((await readFile(join(folder, 'speech.wav'))).toString('latin1', 0, 4)).toBe('RIFF');
      for (const timestamps of atLength(['word'] as const, ['none', 'word'] as const)) {
        const fields = { timestamps, language: 'en' };
        const out = await outputOf({ kind: 'transcription', file: 'speech.wav', body: fields }, id);
        expect(out.replaceAll(String.raw`\"`, '"')).toContain(words);
        expect(/0 \d\.\d+ Good morning|"start":0,/.test(out)).toBe(timestamps === 'word');
      }
    });

    it.skipIf(!hasLong(id))('uploads a long file, and transcribes it by a job', async () => {
      const long = { kind: 'long-transcription', file: 'river.wav', contentType: 'audio/wav' } as const;
      const out = await outputOf({ ...long, body: { timestamps: 'word', language: 'en' } }, id);
      expect(out).toBe('completed\nThe river is wide.\n');
      const refused = await outputOf({ ...long, contentType: 'audio/mpeg', body: {} }, id);
      expect(refused).toMatch(/INVALID_FORMAT|error: 400/);
      expect(refused).not.toContain('completed');
    });
  },
);
