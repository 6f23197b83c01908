import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import type { ModelEndpoint } from '#contract/platform/model-endpoints.ts';
import { openAiRuntime } from '#gateways/openai-runtime.ts';
import { audioGateway } from '#gateways/sagemaker/audio-gateway.ts';
import { sagemakerGateway } from '#gateways/sagemaker/model-gateway.ts';
import { RecentFailures } from '#gateways/sagemaker/served-model.ts';
import { read } from './model-families.ts';

export type Respond = (response: ServerResponse) => unknown;

export const send =
  (status: number, body: unknown): Respond =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
export const whole = (content: string) =>
  send(200, {
    choices: [{ message: { content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 1 },
  });
export const event = (body: object): string => `data: ${JSON.stringify(body)}\n\n`;
export const piece = (content: string): string => event({ choices: [{ delta: { content } }] });
export const end = `${event({ choices: [{ delta: {}, finish_reason: 'stop' }] })}data: [DONE]\n\n`;
export const streams =
  (...parts: readonly string[]): Respond =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const part of parts) response.write(part);
    response.end();
  };
/** Sends a part of a response, and stays open. */
export const stalls =
  (...parts: readonly string[]): Respond =>
  (response) => {
    if (parts.length === 0) return;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const part of parts) response.write(part);
  };
export const resets: Respond = (response) => response.socket?.resetAndDestroy();

/** An endpoint with its requests, and whether its last caller has disconnected. */
interface Endpoint {
  readonly place: Extract<ModelEndpoint, { kind: 'openai' }>;
  become(respond: Respond): void;
  requests(): number;
  closed(): Promise<unknown>;
}

const closers: (() => unknown)[] = [];

export const closeEndpoints = () => Promise.all(closers.splice(0).map((close) => close()));

export async function endpoint(respond: Respond): Promise<Endpoint> {
  let [current, requests, closed] = [respond, 0, Promise.resolve<unknown>(undefined)];
  const server = createServer((request, response) => {
    requests += 1;
    closed = once(response, 'close');
    request.resume();
    request.once('end', () => current(response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    place: { kind: 'openai', url, model: 'large' },
    become: (next) => void (current = next),
    requests: () => requests,
    closed: async () => closed,
  };
}

/** A server that does not speak TLS. */
export async function withoutTls(): Promise<ModelEndpoint> {
  const server = createTcpServer((socket) => socket.on('error', () => undefined).end('HTTP/1.1 400 Bad\r\n\r\n'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  return { kind: 'openai', url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, model: 'large' };
}

interface Options {
  readonly deadlineMs?: number;
  readonly now?: () => number;
}

export function gatewayTo(places: readonly ModelEndpoint[], { deadlineMs = 3000, now }: Options = {}) {
  const [responses, failed]: [string[], string[]] = [[], []];
  const settings = {
    endpointsOf: () => places,
    deadlineMs,
    streamDeadlineMs: 2 * deadlineMs,
    failures: new RecentFailures(now),
    onResponse: (model: string, position: number) => void responses.push(`${model} ${position}`),
    onFailure: (model: string, position: number) => void failed.push(`${model} ${position}`),
  };
  const runtime = openAiRuntime({});
  return { ...sagemakerGateway(runtime, settings), ...audioGateway(runtime, settings), responses, failed };
}

export type Gateway = ReturnType<typeof gatewayTo>;

export const request = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10 };
export const chat = async (gateway: Gateway, signal?: AbortSignal) =>
  (await gateway.chat('m', request).send(signal)).choices[0]?.message.content;
export const stream = (gateway: Gateway, signal?: AbortSignal) => read(gateway.chatStream('m', request).send(signal));
