import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { json, text } from 'node:stream/consumers';
import * as v from 'valibot';
import { parseJson } from '#contract/shared/json.ts';
import { boundedChunks, containerError, type Engine, type EngineReply, maxReplyBytes } from './engine.ts';

export interface ModelUrlOptions {
  /** Base URL of an OpenAI-compatible server, such as `http://127.0.0.1:11434/v1`. */
  readonly url: string;
  /** Default: the first model that the server lists. */
  readonly modelName?: string;
  /** Receives one line when the server cannot be reached, until it responds again. */
  readonly log?: (line: string) => void;
}

const Models = v.object({ data: v.pipe(v.array(v.object({ id: v.string() })), v.minLength(1)) });

/** Milliseconds. SageMaker's maximum for a container's stream. */
const replyMs = 8 * 60_000;

/** Rejects redirects to other servers and disables compression. */
const fetchOptions = {
  redirect: 'manual',
  headers: { 'content-type': 'application/json', 'accept-encoding': 'identity' },
} as const;

const RequestBody = v.record(v.string(), v.unknown());

/** Uses an OpenAI-compatible server (Ollama, llama.cpp, vLLM) as the engine. */
export function modelUrlEngine({ url, modelName, log = () => undefined }: ModelUrlOptions): Engine {
  const base = url.replace(/(?<!\/)\/+$/, '');
  let listed: Promise<string> | undefined;
  let isReported = false;

  function report(line: string): void {
    if (!isReported) log(line);
    isReported = true;
  }

  async function model(): Promise<string> {
    if (modelName !== undefined) return modelName;
    listed ??= firstModel(base);
    try {
      return await listed;
    } catch (error) {
      listed = undefined;
      throw error;
    }
  }

  return {
    async invoke(body, signal) {
      const request = v.safeParse(RequestBody, body);
      const path = request.success ? pathFor(request.output) : undefined;
      if (!request.success || !path) return containerError(400, 'The body needs one of messages, prompt or input.');
      try {
        const response = await fetch(`${base}/${path}`, {
          ...fetchOptions,
          method: 'POST',
          body: JSON.stringify({ ...withoutVllmOptions(request.output), model: await model() }),
          signal: AbortSignal.any([signal, AbortSignal.timeout(replyMs)]),
        });
        isReported = false;
        return await toEngineReply(response, path === 'embeddings' ? maxReplyBytes.vectors : maxReplyBytes.text);
      } catch (error) {
        signal.throwIfAborted();
        if (isConnectionError(error)) {
          const message = `The model server cannot be reached at ${base}: ${reason(error)}.`;
          report(message);
          return containerError(503, message);
        }
        return containerError(502, `The model server at ${base} returned an incomplete response: ${reason(error)}.`);
      }
    },
  };
}

/** Milliseconds to wait for a server at the start. */
const probeMs = 2000;

/** Returns a warning if no server accepts connections at a URL of `--model-url` or `--audio-url`. */
export async function silenceAt(option: string, url: string): Promise<string | undefined> {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80) });
  socket.on('error', () => undefined);
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(probeMs) });
    return undefined;
  } catch (error) {
    return `Nothing answers at ${url} (${reason(error)}). Start the server of ${option}: until then, its models return 503.`;
  } finally {
    socket.destroy();
  }
}

/** Removes vLLM's own stream option, because other servers, such as OpenVINO's, reject it. */
function withoutVllmOptions(body: Record<string, unknown>): Record<string, unknown> {
  const { stream_options: options } = body;
  if (typeof options !== 'object' || options === null) return body;
  return { ...body, stream_options: { ...options, continuous_usage_stats: undefined } };
}

function pathFor(body: Record<string, unknown>): string | undefined {
  if ('messages' in body) return 'chat/completions';
  if ('prompt' in body) return 'completions';
  return 'input' in body ? 'embeddings' : undefined;
}

async function firstModel(base: string): Promise<string> {
  const response = await fetch(`${base}/models`, { ...fetchOptions, signal: AbortSignal.timeout(10_000) });
  const models = v.safeParse(Models, parseJson(await textOf(response, maxReplyBytes.text)));
  const first = models.success ? models.output.data[0] : undefined;
  if (!first) throw new Error('it lists no model, so the model name must be given');
  return first.id;
}

async function toEngineReply(response: Response, maxBytes: number): Promise<EngineReply> {
  const refused = refusal(response);
  if (refused) {
    await response.body?.cancel();
    return containerError(502, `The model server ${refused}.`);
  }
  const contentType = response.headers.get('content-type') ?? '';
  if (response.ok && response.body && contentType.startsWith('text/event-stream')) {
    return { kind: 'stream', contentType, chunks: response.body };
  }
  const reply = await textOf(response, maxBytes);
  const body = parseJson(reply);
  if (body === undefined)
    return containerError(response.ok ? 502 : response.status, `Not JSON: ${reply.slice(0, 500)}`);
  return { kind: 'json', status: response.status, body };
}

function refusal({ status, headers }: Response): string | undefined {
  if (status >= 300 && status < 400) return 'redirects, which is not followed';
  return headers.has('content-encoding') ? 'sends compressed responses, which were not requested' : undefined;
}

const textOf = ({ body }: Response, maxBytes: number): Promise<string> =>
  text(boundedChunks(body ?? Readable.from([]), maxBytes));

/** Whether no connection was established, for example because the server is still starting. */
const isConnectionError = (error: unknown): boolean => connectionErrors.test(reason(error));

const connectionErrors =
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|[Cc]onnect [Tt]imeout|lists no model/;

/** `fetch` puts errors such as `connect ECONNREFUSED` in the cause. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message ? error.cause.message : error.message;
}

/** Exceeds the service's own limit. */
const maxAudioBytes = 64 * 1024 * 1024;

/** Uses an OpenAI-compatible audio server as the engine. `url` is its base, such as `http://127.0.0.1:8000/v1`. */
export function audioUrlEngine(url: string): Required<Pick<Engine, 'speak' | 'transcribe'>> {
  const base = url.replace(/(?<!\/)\/+$/, '');

  async function post(
    path: string,
    init: Pick<RequestInit, 'body'> & { headers?: Record<string, string> },
    signal: AbortSignal,
    replyOf: (response: Response) => Promise<EngineReply | undefined> | EngineReply | undefined,
  ): Promise<EngineReply> {
    try {
      const response = await fetch(`${base}/${path}`, {
        method: 'POST',
        redirect: 'manual',
        ...init,
        headers: { ...init.headers, 'accept-encoding': 'identity' },
        signal: AbortSignal.any([signal, AbortSignal.timeout(replyMs)]),
      });
      const reply = response.ok ? await replyOf(response) : undefined;
      if (reply) return reply;
      await response.body?.cancel();
      const status = response.status >= 400 ? response.status : 502;
      return containerError(status, `The audio server returned an unexpected response (status ${response.status}).`);
    } catch (error) {
      signal.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      return containerError(503, `The audio server cannot be reached at ${base}: ${reason}.`);
    }
  }

  return {
    speak(body, signal) {
      const text = JSON.stringify(v.parse(RequestBody, body));
      const init = { body: text, headers: { 'content-type': 'application/json' } };
      return post('audio/speech', init, signal, ({ headers, body: audio }) => {
        const contentType = headers.get('content-type') ?? '';
        if (!audio || !contentType.startsWith('audio/')) return undefined;
        return { kind: 'stream', contentType, chunks: boundedChunks(audio, maxAudioBytes) };
      });
    },
    transcribe: (form, signal) =>
      post(
        form.get('task') === 'translate' ? 'audio/translations' : 'audio/transcriptions',
        { body: form },
        signal,
        async ({ body }) => {
          if (!body) return undefined;
          return { kind: 'json', status: 200, body: await json(boundedChunks(body, maxReplyBytes.text)) };
        },
      ),
  };
}
