import { expect } from 'vitest';
import { demoEngine } from '#local/demo-engine/engine.ts';

const engine = demoEngine({ wordDelayMs: 0 });
const never = new AbortController().signal;

export interface Choice {
  index: number;
  text: string;
  finish_reason: string | null;
  message: { content: string | null; tool_calls?: { id: string; function: { name: string; arguments: string } }[] };
  delta: {
    role?: string;
    content?: string;
    tool_calls?: { index: number; id?: string; function: { name?: string; arguments: string } }[];
  };
}
export interface Body {
  choices: [Choice, ...Choice[]];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  data: { embedding: number[] | string; index: number }[];
  error: { message: string; type: string; code: number; param: null };
  object: string;
}

export async function invoke(body: object, status = 200): Promise<Body> {
  const reply = await engine.invoke(body, never);
  if (reply.kind !== 'json') throw new Error('a stream');
  expect(reply.status).toBe(status);
  return reply.body as Body;
}

export async function invokeStream(body: object, stream_options: object = { include_usage: true }): Promise<Body[]> {
  const reply = await engine.invoke({ ...body, stream: true, stream_options }, never);
  if (reply.kind !== 'stream') throw new Error('no stream');
  expect(reply.contentType).toMatch(/^text\/event-stream/);
  let text = '';
  for await (const chunk of reply.chunks) text += Buffer.from(chunk).toString();
  const events = text.split('\n\n').slice(0, -1);
  expect(events.at(-1)).toBe('data: [DONE]');
  return events.slice(0, -1).map((event) => JSON.parse(event.replace(/^data: /, '')) as Body);
}

export const user = (content: string) => ({ messages: [{ role: 'user', content }] });
export const contentOf = async (body: object) => (await invoke(body)).choices[0].message.content ?? '';
