import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Pool } from 'undici';
import type { Faults } from '../shared/faults.ts';
import { isWriting } from './dynamodb-proxy.ts';

export interface DirectOptions {
  /** Origin of the proxy, which the client is configured with. */
  readonly proxy: string;
  /** Origin of the embedded database. */
  readonly url: string;
  readonly faults: Pick<Faults, 'isOrdered'>;
  readonly onWrite: () => void;
}

/** Sends the requests of clients to the embedded database itself. */
export interface DirectRequests {
  readonly adapt: (client: DynamoDBDocumentClient) => void;
  close(): Promise<void>;
}

type Handler = DynamoDBDocumentClient['config']['requestHandler'];
type Request = Parameters<Handler['handle']>[0];
type Output = Awaited<ReturnType<Handler['handle']>>;

const timeoutMs = 5000;

/** The embedded database requires a signature, and accepts any. */
const signature = {
  'x-amz-date': '20260101T000000Z',
  authorization:
    'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
};

/**
 * Lets the SDK clients of functions bypass the proxy, which only adds faults, and skip signing, which took half of a
 * request's CPU time together. A request passes through the proxy while a fault is ordered, if it can be cancelled, or if
 * the proxy changes it.
 */
export function directRequests({ proxy, url, faults, onWrite }: DirectOptions): DirectRequests {
  const pool = new Pool(url, { headersTimeout: timeoutMs, bodyTimeout: timeoutMs });

  function send({ method, path, headers, body }: Request): Promise<Output> {
    const { promise, resolve, reject } = Promise.withResolvers<Output>();
    const pieces: Buffer[] = [];
    let head: Pick<Output['response'], 'statusCode' | 'headers'>;
    pool.dispatch(
      { method: method === 'POST' ? method : 'GET', path, headers, body },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_, statusCode, received) => {
          const texts = Object.entries(received).map(([name, text]) => [name, String(text)]);
          head = { statusCode, headers: Object.fromEntries(texts) };
        },
        onResponseData: (_, piece) => void pieces.push(piece),
        onResponseEnd: () => resolve({ response: { ...head, body: Buffer.concat(pieces) } }),
        onResponseError: (_, error) => reject(broken(error)),
      },
    );
    return promise;
  }

  function adapt(client: DynamoDBDocumentClient): void {
    const { requestHandler: proxied } = client.config;
    const handle: Handler['handle'] = async (request, options = {}) => {
      Object.assign(request.headers, signature);
      const operation = (request.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
      const isChanged = operation === 'BatchExecuteStatement';
      const isProxied = `${request.protocol}//${request.hostname}:${request.port}` === proxy;
      if (!isProxied || isChanged || 'abortSignal' in options || faults.isOrdered('dynamodb'))
        return proxied.handle(request, options);
      const output = await send(request);
      if (isWriting(operation)) onWrite();
      return output;
    };
    client.config.requestHandler = Object.assign(Object.create(proxied), { handle });
    client.middlewareStack.remove('httpSigningMiddleware');
    client.middlewareStack.remove('loggerMiddleware');
  }

  return { adapt, close: () => pool.destroy() };
}

/** Converts a connection error to one that the SDK retries. */
function broken(error: Error): Error {
  const code = 'code' in error && !String(error.code).startsWith('UND_') ? error.code : 'ECONNRESET';
  return Object.assign(new Error(error.message, { cause: error }), { name: 'TimeoutError', code });
}
