import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, vi } from 'vitest';
import { type Loopback, listen } from '#local/shared/loopback.ts';

/** The response of an operation: a body of its protocol (XML of the query protocol, otherwise JSON), 200 unless it is an error. */
export interface StubResponse {
  readonly status?: number;
  readonly body: string | object;
}

/** Responses by operation, such as `DescribeStacks`, or by operation and a value of its request: `DescribeStacks CDKToolkit`. */
export type Stub = Readonly<Record<string, StubResponse>>;

export interface Called {
  readonly operation: string;
  readonly method: string;
  /** The request body. */
  readonly text: string;
}

/** A stub of all AWS services that responds by operation, over the wire protocols of their SDK clients. */
export async function startStubAws(): Promise<
  Loopback & {
    /** The environment of a process that uses the stub. */
    readonly credentials: Readonly<Record<string, string>>;
    readonly called: Called[];
    play(stub: Stub): void;
  }
> {
  const called: Called[] = [];
  let stub: Stub = {};
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = (await buffer(request)).toString();
    const { operation, value } = operationOf(request, text);
    called.push({ operation, method: request.method ?? '', text });
    const { status = 200, body } = stub[`${operation} ${value}`] ?? stub[operation] ?? unstubbed(operation, value);
    const isXml = typeof body === 'string';
    response.writeHead(status, { 'content-type': isXml ? 'text/xml' : 'application/json' });
    response.end(isXml ? body : JSON.stringify(body));
  }
  const server = await listen((request, response) => void respond(request, response));
  function play(next: Stub): void {
    stub = next;
    called.length = 0;
  }
  const credentials = {
    AWS_ENDPOINT_URL: server.url,
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_REGION: 'eu-west-1',
  };
  return { ...server, credentials, called, play };
}

const unstubbed = (operation: string, value: string): StubResponse => ({
  status: 400,
  body: { __type: 'Unstubbed', message: `${operation} ${value} has no response` },
});

/** By the query protocol's Action, the JSON protocol's X-Amz-Target, or the path of a REST API. */
function operationOf({ headers, url = '' }: IncomingMessage, text: string): { operation: string; value: string } {
  const target = headers['x-amz-target'];
  if (typeof target === 'string') {
    const { CertificateArn, EndpointName, TableName, NextToken } = JSON.parse(text);
    return {
      operation: target.split('.')[1] ?? '',
      value: CertificateArn ?? EndpointName ?? TableName ?? NextToken ?? '',
    };
  }
  const query = new URLSearchParams(text);
  if (query.has('Action')) return { operation: query.get('Action') ?? '', value: query.get('StackName') ?? '' };
  const path = decodeURIComponent(url.split('?')[0] ?? '');
  if (path === '/v2/email/account') return { operation: 'GetAccount', value: '' };
  const [, kind, id] = /^\/(foundation-model-availability|inference-profiles)\/(.+)$/.exec(path) ?? [];
  if (kind !== undefined && id !== undefined) {
    const isProfile = kind === 'inference-profiles';
    return { operation: isProfile ? 'GetInferenceProfile' : 'GetFoundationModelAvailability', value: id };
  }
  const [, identity] = /^\/v2\/email\/identities\/(.+)$/.exec(path) ?? [];
  if (identity !== undefined) return { operation: 'GetEmailIdentity', value: identity };
  return { operation: path.endsWith('/account-settings') ? 'GetAccountSettings' : path, value: '' };
}

/** Starts a stub that this process uses during the tests of a file. */
export async function useStubAws() {
  const aws = await startStubAws();
  beforeAll(() => {
    for (const [name, value] of Object.entries(aws.credentials)) vi.stubEnv(name, value);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await aws.close();
  });
  return aws;
}
