import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { type Loopback, listen } from '#local/shared/loopback.ts';

const megabyte = 'x'.repeat(2 ** 20);
const whole = (usage: object) => ({
  choices: [{ text: 'ok', message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage,
});
const piece = (content: string) => `data: ${JSON.stringify({ choices: [{ text: content, delta: { content } }] })}\n\n`;

type Behaviour = (response: ServerResponse) => unknown;

/** Misbehavior of a model, by the keyword in its prompt. */
const behaviours = {
  'endless-body': (response) => endless(response.writeHead(200, { 'content-type': 'application/json' }), megabyte),
  'endless-stream': (response) => endless(stream(response), piece('word '.repeat(50))),
  'endless-line': (response) => endless(stream(response), megabyte),
  'comments-only': (response) => endless(stream(response), ': still here\n\n'.repeat(1000)),
  'done-only': (response) => stream(response).end('data: [DONE]\n\n'),
  redirect: (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
  'impossible-usage': (response) => json(response, whole({ prompt_tokens: 9e15, completion_tokens: 9e15 })),
  'no-choices': (response) => json(response, { choices: [] }),
} satisfies Record<string, Behaviour>;

export type HostileBehaviour = keyof typeof behaviours;
export const hostileBehaviours = Object.keys(behaviours) as HostileBehaviour[];

/** An OpenAI-compatible server that responds well unless a prompt names one of the behaviors. */
export function startHostileModel(): Promise<Loopback> {
  return listen((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const prompt = await text(request);
  if (request.method === 'GET') return json(response, { data: [{ id: 'hostile' }] });
  const chosen = hostileBehaviours.find((name) => prompt.includes(name));
  if (chosen) return behaviours[chosen](response);
  if (prompt.includes('"stream":true')) {
    return stream(response).end(`${piece('ok')}data: {"choices":[{"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`);
  }
  return json(response, whole({ prompt_tokens: 1, completion_tokens: 1 }));
}

const json = (response: ServerResponse, body: object) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const stream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });

/** Writes as fast as the client reads, until the client disconnects. */
function endless(response: ServerResponse, part: string): Promise<void> {
  return pipeline(Readable.from(forever(part)), response);
}

function* forever<T>(value: T): Generator<T> {
  for (;;) yield value;
}
