import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { afterAll, beforeAll } from 'vitest';
import { withConflictRetries } from '#aws/conflicts.ts';
import { type AwsService, awsService } from '#aws/service.ts';
import { Deadline } from '#gateways/sagemaker/deadline.ts';
import { listen, type Loopback } from '#local/shared/loopback.ts';

export interface ScriptedResponse {
  readonly status: number;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Cuts the connection after this many bytes of the body, or before the head if -1. */
  readonly cutAfter?: number;
  /** Sends nothing after this many bytes of the body. */
  readonly hangsAfter?: number;
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
async function startScriptedAws(): Promise<
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

export const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'secret/with+signs',
  sessionToken: 'token==',
};
export const invocation = {
  place: { kind: 'sagemaker', endpoint: 'svc-1', component: 'part' },
  body: { messages: ['ü'] },
  maxBytes: 1e6,
} as const;
export const later = () => new Deadline(10_000);

/** Timeout of a DynamoDB request, longer than any pause of a busy machine. */
const patientMs = 10_000;

/** The timeout for a script: short if it contains no response. */
export const requestTimeoutOf = (script: readonly ScriptedResponse[]): number =>
  script.some(({ silent }) => silent) ? 150 : patientMs;

interface Documents extends Pick<DynamoDBClientConfig, 'credentials'> {
  readonly requestTimeout?: number;
}

export const failure = (status: number, type: string, more: object = {}): ScriptedResponse => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-requestid': 'R' },
  body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: `It is ${type}.`, ...more }),
});

/** Responses to a DynamoDB request that the fast path and the SDK must handle alike. `done` is the final success. */
export const scriptsOf = (done: ScriptedResponse): [name: string, ScriptedResponse[]][] => [
  ['success', [done]],
  ['an empty response', [{ status: 200, body: '{}' }]],
  ['a failed condition', [failure(400, 'ConditionalCheckFailedException')]],
  ['an invalid request', [failure(400, 'ValidationException')]],
  ['an unknown table', [failure(400, 'ResourceNotFoundException')]],
  ['throttling once', [failure(400, 'ThrottlingException'), done]],
  ['throttling without end', [failure(400, 'ProvisionedThroughputExceededException')]],
  ['three conflicts', [...Array<ScriptedResponse>(3).fill(failure(400, 'TransactionConflictException')), done]],
  ['two outages', [failure(503, 'ServiceUnavailable'), failure(500, 'InternalServerError'), done]],
  ['an outage', [failure(500, 'InternalServerError')]],
  ['a failing proxy', [{ status: 502, body: '<html>bad gateway</html>' }]],
  ['a connection cut before the response, once', [{ status: 200, cutAfter: -1 }, done]],
  ['a connection cut within the response, once', [{ ...done, cutAfter: 20 }, done]],
  ['a connection cut within the response, always', [{ ...done, cutAfter: 20 }]],
  ['no response, once', [{ status: 200, silent: true }, done]],
  ['no response', [{ status: 200, silent: true }]],
];

/** The parts of a request in which the fast path and the SDK must agree. */
export function essenceOf({ method, url, headers, body }: Sent) {
  const { host, 'content-type': type, 'x-amz-target': target, 'x-amz-security-token': token } = headers;
  const isLength = headers['content-length'] === String(Buffer.byteLength(body));
  return { method, url, host, type, target, token, isLength, body: JSON.parse(body) };
}

/** AWS with scripted responses, and its clients. */
export function useScriptedAws() {
  let aws: Awaited<ReturnType<typeof startScriptedAws>>;
  beforeAll(async () => {
    aws = await startScriptedAws();
  });
  afterAll(() => aws.close());

  /** The variables that Lambda sets for a function. */
  const variables = (): Record<string, string> => ({
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_SESSION_TOKEN: credentials.sessionToken,
    AWS_ENDPOINT_URL_DYNAMODB: aws.url,
    AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME: aws.url,
  });
  const serviceOf = (id: 'dynamodb' | 'sagemaker', of = variables()): AwsService => awsService(id, of)!;

  /** The SDK client of the functions, without pauses between attempts. */
  function documents({ requestTimeout = patientMs, ...about }: Documents = {}): DynamoDBDocumentClient {
    const client = new DynamoDBClient({
      region: 'us-east-1',
      endpoint: aws.url,
      credentials,
      retryStrategy: new ConfiguredRetryStrategy(3, 0),
      requestHandler: { connectionTimeout: patientMs, requestTimeout, throwOnRequestTimeout: true },
      ...about,
    });
    return DynamoDBDocumentClient.from(withConflictRetries(client), {
      marshallOptions: { removeUndefinedValues: true },
    });
  }

  /** The observable result of a call: its value or error, and the number of requests to AWS. */
  async function resultOf(call: () => Promise<unknown>) {
    const outcome = await call().then(
      (value) => ({ value }),
      (error: Error & { $metadata?: object; Item?: object; code?: string }) => ({
        kind: error.constructor.name,
        name: error.name,
        code: error.code,
        message: error.message,
        item: error.Item,
        metadata: error.$metadata,
      }),
    );
    return { outcome, requests: aws.sent.length, bodies: aws.sent.map(({ body }) => JSON.parse(body)) };
  }

  return {
    get aws() {
      return aws;
    },
    variables,
    serviceOf,
    documents,
    resultOf,
  };
}
