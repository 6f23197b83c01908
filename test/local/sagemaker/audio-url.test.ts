import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useTestService } from '#test/service/service.ts';

/** Requests to an OpenAI-compatible audio server. */
const seen: { url: string; type: string; body: Buffer }[] = [];
let status = 200;
const audioServer = createServer((request, response) => void respond(request, response));

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = request.url ?? '';
  seen.push({ url, type: request.headers['content-type'] ?? '', body: await buffer(request) });
  const isSpeech = url.endsWith('/speech');
  const segments = [{ start: 0, end: 2.5, text: 'from afar' }];
  const reply = JSON.stringify({ text: 'from afar', language: 'en', duration: 2.5, segments });
  if (status !== 200) response.writeHead(status).end('{"error":{"message":"no"}}');
  else
    response
      .writeHead(200, { 'content-type': isSpeech ? 'audio/mpeg' : 'application/json' })
      .end(isSpeech ? 'ID3 and more' : reply);
}

beforeAll(() => once(audioServer.listen(0, '127.0.0.1'), 'listening'));
const service = useTestService(() => {
  const { port } = audioServer.address() as AddressInfo;
  return { audioUrl: `http://127.0.0.1:${port}/v1/` };
});
afterAll(() => audioServer.close());

test('the server of --audio-url speaks and transcribes instead of the demo engine', async () => {
  const config = await fetch(`${service.origin}/config.json`);
  expect(await config.json()).toMatchObject({ local: true, demoSpeechFormats: null });

  const { key } = await service.person({ planRank: 2 });
  const headers = { authorization: `Bearer ${key}` };
  const body = { model: 'svc-speech', input: 'Hello', voice: 'nova', response_format: 'mp3' };
  const speech = await fetch(`${service.origin}/openai/v1/audio/speech`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect([speech.status, await speech.text()]).toEqual([200, 'ID3 and more']);
  expect(seen[0]?.url).toBe('/v1/audio/speech');
  expect(JSON.parse(seen[0]!.body.toString())).toMatchObject({
    input: 'Hello',
    voice: 'nova',
    response_format: 'mp3',
    speed: 1,
  });

  const wav = Buffer.alloc(44 + 8000, 128);
  Buffer.from('524946466c1f000057415645666d74201000000001000100401f0000401f00000100080064617461401f0000', 'hex').copy(
    wav,
  );
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(wav)], { type: 'audio/wav' }), 'a.wav');
  const transcribe = () => fetch(`${service.origin}/api/ai/transcribe`, { method: 'POST', headers, body: form });
  const reply = await transcribe();
  const { data } = (await reply.json()) as { data: Record<string, unknown> };
  expect([reply.status, data]).toEqual([
    200,
    expect.objectContaining({ text: 'from afar', durationSeconds: 2.5, credits: 0.1 }),
  ]);
  expect(seen[1]?.url).toBe('/v1/audio/transcriptions');
  expect(seen[1]?.type).toMatch(/^multipart\/form-data; boundary=/);
  expect(seen[1]?.body.includes(wav)).toBe(true);

  for (const [refused, wanted] of [
    [500, 502],
    [503, 503],
    [302, 502],
  ] as const) {
    status = refused;
    expect((await transcribe()).status, `after ${refused}`).toBe(wanted);
  }
});
