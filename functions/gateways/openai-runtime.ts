import { SecretsProvider } from '@aws-lambda-powertools/parameters/secrets';
import { collectBody } from '#aws/bounded-body.ts';
import { limitedTo } from '#aws/timeouts.ts';
import { attempt, Connections, type HttpResponse } from '#aws/transport.ts';
import { type OpenAiEndpoint, secretVariable } from '#contract/offer/offer.ts';
import type { Deadline } from './sagemaker/deadline.ts';
import { misconfigured, modelError } from './sagemaker/errors.ts';
import { type Invocation, jsonBytes, type ModelRuntime } from './sagemaker/runtime.ts';

/** Maximum bytes and pieces that are read of an error's body. */
const maxErrorBytes = 64 * 1024;
const maxErrorPieces = 1000;

/** Seconds for which a secret is cached. A rotated one also takes effect when the server rejects the old one. */
const secretSeconds = 300;

/** Milliseconds between two reads of a secret that a server rejects. */
const rereadMs = 10_000;

/** Milliseconds. */
const secretTimeout = 3000;

const newSecrets = () =>
  new SecretsProvider({ clientConfig: { maxAttempts: 2, requestHandler: limitedTo(secretTimeout) } });

type Call = Invocation<OpenAiEndpoint>;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Servers with OpenAI's API. Throws the errors of SageMaker's runtime (`./sagemaker/errors.ts`), so that callers see
 * no difference. Redirects are not followed. An environment variable takes precedence over the secret of its name.
 */
export function openAiRuntime(variables: Variables, secrets = newSecrets()): ModelRuntime<OpenAiEndpoint> {
  const origins = new Map<string, Connections>();
  const rereadAt = new Map<string, number>();
  const reads = new Map<string, Promise<string>>();

  async function read(secret: string, forceFetch: boolean): Promise<string> {
    if (forceFetch) rereadAt.set(secret, Date.now());
    try {
      const key = await secrets.get(secret, { maxAge: secretSeconds, forceFetch });
      if (typeof key === 'string' && /^[\x21-\x7e]+$/.test(key.trim())) return key.trim();
    } catch (error) {
      throw misconfigured('unreadable secret', error);
    }
    secrets.clearCache();
    throw misconfigured('invalid secret');
  }

  /** Concurrent calls share a read. */
  function keyOf({ secret }: OpenAiEndpoint, forceFetch: boolean): string | undefined | Promise<string> {
    if (secret === undefined) return undefined;
    const given = variables[secretVariable(secret)];
    if (given !== undefined) return given;
    const reading = reads.get(secret) ?? read(secret, forceFetch).finally(() => reads.delete(secret));
    reads.set(secret, reading);
    return reading;
  }

  function mayReread({ secret }: OpenAiEndpoint): boolean {
    if (secret === undefined || variables[secretVariable(secret)] !== undefined) return false;
    return Date.now() - (rereadAt.get(secret) ?? 0) >= rereadMs;
  }

  async function send(invocation: Call, deadline: Deadline, forceFetch = false): Promise<HttpResponse> {
    const { place: server, body, literals, contentType = 'application/json', accept = 'application/json' } = invocation;
    const url = urlOf(invocation);
    const connections = origins.get(url.origin) ?? new Connections(url.origin);
    origins.set(url.origin, connections);
    const key = await beforeEnd(deadline, keyOf(server, forceFetch));
    const headers = {
      host: url.host,
      'content-type': contentType,
      accept,
      'accept-encoding': 'identity',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    };
    const bytes = body instanceof Uint8Array ? body : jsonBytes(withoutVllmOptions(body), literals);
    const result = await attempt(connections, { path: url.pathname + url.search, headers, body: bytes }, {}, deadline);
    if ('error' in result) throw result.error;
    const { response } = result;
    if (response.status === 200) return response;
    const text = await beginningOf(response);
    if (response.status === 401 && !forceFetch && mayReread(server)) return send(invocation, deadline, true);
    throw errorOf(response.status, text);
  }

  return {
    reply: (invocation) => async (deadline) => {
      const response = await send(invocation, deadline);
      return JSON.parse((await collectBody(response, invocation.maxBytes)).toString());
    },
    parts: (invocation) =>
      async function* (deadline) {
        yield* await send(invocation, deadline);
      },
  };
}

function urlOf(invocation: Call): URL {
  const url = new URL(invocation.place.url);
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/${pathOf(invocation)}`;
  return url;
}

/** Rejects when the deadline ends before the work does. */
async function beforeEnd<T>(deadline: Deadline, work: T | Promise<T>): Promise<T> {
  if (!(work instanceof Promise)) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  deadline.onEnd = () => reject(new Error('the deadline has passed'));
  if (deadline.isOver) deadline.onEnd();
  return Promise.race([work, promise]);
}

/** The beginning of an error's body. */
async function beginningOf(response: HttpResponse): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= maxErrorBytes || pieces.length >= maxErrorPieces) break;
  }
  return Buffer.concat(pieces).toString();
}

/** The route of a request, which containers on SageMaker find by its fields. */
function pathOf({ attributes, contentType, body }: Call): string {
  if (attributes !== undefined) return attributes.replace(/^route=\/v1\//, '');
  if (contentType?.startsWith('multipart/form-data')) return 'audio/transcriptions';
  if (typeof body !== 'object' || body === null) throw new TypeError('the body is not an object');
  if ('messages' in body) return 'chat/completions';
  return 'prompt' in body ? 'completions' : 'embeddings';
}

/** Removes vLLM's own stream option, because other servers, such as OpenVINO's, reject it. */
function withoutVllmOptions(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('stream_options' in body)) return body;
  return { ...body, stream_options: { include_usage: true } };
}

/** A wrong key, URL or model name. */
const misconfiguredStatus = new Set([401, 403, 404]);

/**
 * Some servers report a problem with the deployer's key or balance as an invalid request (Anthropic, Gemini and xAI).
 */
const misconfiguredText =
  /"(?:message|error)"\s*:\s*"(?:Your credit balance is too low|(?:Incorrect |Invalid )?API key)/i;

const errorOf = (status: number, text: string): Error =>
  misconfiguredStatus.has(status) || (status === 400 && misconfiguredText.test(text))
    ? misconfigured(`status ${status}`)
    : modelError(status, text);
