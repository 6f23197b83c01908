import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type Loopback, listen } from '#local/shared/loopback.ts';

/** The response to one request. */
export interface ScriptedResponse {
  readonly status: number;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Cuts the connection after this many bytes of the body, or before the head if -1. */
  readonly cutAfter?: number;
  /** Sends nothing after this many bytes of the body. */
  readonly hangsAfter?: number;
  /** Sends no response. */
  readonly silent?: true;
}

export interface Sent {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Distinguishes its connection from others. */
  readonly connection: number | undefined;
}

/** An AWS with scripted responses that records its requests. The last response is repeated for all further requests. */
export async function startScriptedAws(): Promise<
  Loopback & { sent: Sent[]; play(responses: readonly ScriptedResponse[]): void }
> {
  const sent: Sent[] = [];
  let script: readonly ScriptedResponse[] = [];
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await buffer(request)).toString();
    const planned = script[Math.min(sent.length, script.length - 1)];
    const { method, url, headers, socket } = request;
    sent.push({ method, url, headers, body, connection: socket.remotePort });
    if (planned) send(response, planned);
  }
  const server = await listen((request, response) => void respond(request, response));
  function play(responses: readonly ScriptedResponse[]): void {
    script = responses;
    sent.length = 0;
  }
  return { ...server, sent, play };
}

function send(
  response: ServerResponse,
  { status, body = '', headers, cutAfter, hangsAfter, silent }: ScriptedResponse,
): void {
  if (silent) return;
  if (cutAfter === -1) {
    response.destroy();
    return;
  }
  const bytes = Buffer.from(body);
  response.writeHead(status, { 'content-length': bytes.length, ...headers });
  if (hangsAfter !== undefined) response.write(bytes.subarray(0, hangsAfter));
  else if (cutAfter === undefined) response.end(bytes);
  else response.write(bytes.subarray(0, cutAfter), () => setTimeout(() => response.destroy(), 20));
}
