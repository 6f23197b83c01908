import { afterAll, expect, test } from 'vitest';
import { demoSpeech } from '#local/demo-engine/speech/speech.ts';

const speech = demoSpeech();
afterAll(speech.close);

async function* spoken(input: string, signal = new AbortController().signal): AsyncGenerator<Uint8Array> {
  const reply = await speech.speak({ input, voice: 'onyx', response_format: 'pcm', speed: 4 }, signal);
  if (reply.kind === 'stream') yield* reply.chunks;
}

async function bytesOf(audio: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of audio) bytes += chunk.length;
  return bytes;
}

test('a process that ends while it speaks fails those texts, and the next one is spoken', async () => {
  const whole = await bytesOf(spoken('Good day.'));
  const texts = [spoken('One more sentence is here. '.repeat(100)), spoken('Good day.')];
  const failures = texts.map((text) => expect(bytesOf(text)).rejects.toThrow('the speech process ended (SIGKILL)'));
  await speech.close();
  await Promise.all(failures);
  expect(await bytesOf(spoken('Good day.'))).toBe(whole);
});

test('a caller who leaves ends its own text, and lets the next one be spoken', async () => {
  const leaving = new AbortController();
  const long = spoken('One more sentence is here. '.repeat(1000), leaving.signal);
  await long.next();
  leaving.abort();
  await expect(bytesOf(long)).rejects.toThrow('the caller left');
  expect(await bytesOf(spoken('Good day.'))).toBeGreaterThan(0);
});
