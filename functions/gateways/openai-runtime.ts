import { SecretsProvider } from '@aws-lambda-powertools/parameters/secrets';
import { collectBody } from '#aws/bounded-body.ts';
import { connectionTimeout } from '#aws/timeouts.ts';
import { attempt, Connections, type HttpResponse } from '#aws/transport.ts';
import { type OpenAiEndpoint, secretVariable } from '#contract/offer/offer.ts';
import type { Deadline, Invocation, ModelRuntime } from './sagemaker/runtime.ts';

/** Maximum bytes of an error's body. */
const maxErrorBytes = 64 * 1024;

/** Seconds for which a secret is cached. A rotated one also takes effect when the server rejects the old one. */
const secretSeconds = 300;

const newSecrets = () =>
  new SecretsProvider({
    clientConfig: { maxAttempts: 2, requestHandler: { connectionTimeout, requestTimeout: secretTimeout } },
  });

/** Milliseconds. */
const secretTimeout = 3000;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Servers with OpenAI's API. Throws the errors of SageMaker's runtime (`./sagemaker/errors.ts`), so that callers see
 * no difference. Redirects are not followed. An environment variable takes precedence over the secret of its name.
 */
export function openAiRuntime(variables: Variables, secrets = newSecrets()): ModelRuntime {
  const origins = new Map<string, Connections>();

  async function keyOf({ secret }: OpenAiEndpoint, forceFetch: boolean): Promise<string | undefined> {
    if (secret === undefined) return undefined;
    const given = variables[secretVariable(secret)];
    if (given !== undefined) return given;
    return String(await secrets.get(secret, { maxAge: secretSeconds, forceFetch })).trim();
  }

  async function send(invocation: Invocation, deadline: Deadline, forceFetch = false): Promise<HttpResponse> {
    const { server, body, contentType = 'application/json', accept = 'application/json' } = invocation;
    if (!server) throw new Error('the invocation names no server');
    const url = new URL(`${server.url.replace(/(?<!\/)\/+$/, '')}/${pathOf(invocation)}`);
    const connections = origins.get(url.origin) ?? new Connections(url.origin);
    origins.set(url.origin, connections);
    const key = await keyOf(server, forceFetch);
    const headers = {
      host: url.host,
      'content-type': contentType,
      accept,
      'accept-encoding': 'identity',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    };
    const bytes = body instanceof Uint8Array ? body : JSON.stringify(withoutVllmOptions(body));
    const result = await attempt(connections, { path: url.pathname + url.search, headers, body: bytes }, {}, deadline);
    if ('error' in result) throw result.error;
    const { response } = result;
    if (response.status === 200) return response;
    const text = (await collectBody(response, maxErrorBytes)).toString();
    const isKeyOutdated = response.status === 401 && server.secret !== undefined && !forceFetch;
    if (isKeyOutdated) return send(invocation, deadline, true);
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

/** The route of a request, which containers on SageMaker find by its fields. */
function pathOf({ attributes, contentType, body }: Invocation): string {
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

/** The deployer's mistakes, such as a wrong key, URL or model name. */
const misconfigured = new Set([401, 403, 404]);

function errorOf(status: number, text: string): Error {
  if (misconfigured.has(status)) return Object.assign(new Error(`status ${status}`), { name: 'ValidationException' });
  const isModelError = status >= 400;
  return Object.assign(new Error(`status ${status}`), {
    name: 'ModelError',
    OriginalStatusCode: isModelError ? status : 502,
    OriginalMessage: text,
  });
}
