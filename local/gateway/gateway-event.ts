import type { APIGatewayProxyEvent } from 'aws-lambda';

/** A request as it was received, and the resource it was matched to. */
export interface GatewayRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly path: string;
  readonly query: string;
  /** Names and values in turn, the names in the letters the client used. */
  readonly rawHeaders: readonly string[];
  readonly sourceIp: string;
  readonly body: Uint8Array;
  /** The gateway takes bodies of this media type for binary. */
  readonly isBinary: boolean;
  readonly requestId: string;
  /** Such as `/api/keys/{id}`, and its parameters decoded. */
  readonly resource: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly at: Date;
}

const stage = 'local';
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** API Gateway passes these to no function. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * The event a REST API sends to a Lambda proxy integration (AWS "Input format of a Lambda function for proxy
 * integration"): header names keep their letters, of repeated headers and query parameters the last counts in the
 * single-valued maps, absent maps and bodies are null. A body that is binary or not UTF-8 comes as base64.
 */
export function gatewayEvent(request: GatewayRequest): APIGatewayProxyEvent {
  const headers = headersOf(request.rawHeaders);
  const query = parametersOf(request.query);
  return {
    resource: request.resource,
    path: request.path,
    httpMethod: request.method,
    headers: headers.last,
    multiValueHeaders: headers.all,
    queryStringParameters: query?.last ?? null,
    multiValueQueryStringParameters: query?.all ?? null,
    pathParameters: Object.keys(request.pathParameters).length > 0 ? { ...request.pathParameters } : null,
    stageVariables: null,
    requestContext: requestContext(request, headers.last[headers.names.get('user-agent') ?? ''] ?? null),
    ...eventBody(request),
  };
}

function eventBody({ body, isBinary }: GatewayRequest): Pick<APIGatewayProxyEvent, 'body' | 'isBase64Encoded'> {
  if (body.byteLength === 0) return { body: null, isBase64Encoded: false };
  if (isBinary) return base64Body(body);
  try {
    return { body: utf8.decode(body), isBase64Encoded: false };
  } catch {
    return base64Body(body);
  }
}

const base64Body = (body: Uint8Array) => ({
  body: Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64'),
  isBase64Encoded: true,
});

/** Names that differ in capitals only are one header, under its first spelling. */
function headersOf(rawHeaders: readonly string[]): Grouped {
  const headers = noValues();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const lower = name.toLowerCase();
    if (!hopByHop.has(lower)) add(headers, lower, name, rawHeaders[index + 1] ?? '');
  }
  return headers;
}

function parametersOf(query: string): Grouped | undefined {
  if (query === '') return undefined;
  const parameters = noValues();
  for (const [name, value] of new URLSearchParams(query)) add(parameters, name, name, value);
  return parameters.names.size > 0 ? parameters : undefined;
}

/** The values of each name, and the last of them; `names` has the spelling of each by what makes two of them one. */
interface Grouped {
  readonly names: Map<string, string>;
  readonly all: Record<string, string[]>;
  readonly last: Record<string, string>;
}

const noValues = (): Grouped => ({ names: new Map(), all: {}, last: {} });

function add({ names, all, last }: Grouped, key: string, name: string, value: string): void {
  const first = names.get(key);
  if (first === undefined) {
    names.set(key, name);
    set(all, name, [value]);
  } else {
    all[first]?.push(value);
  }
  set(last, first ?? name, value);
}

/** Also under the name `__proto__`, which cannot be assigned to. */
function set<T>(record: Record<string, T>, name: string, value: T): void {
  if (name === '__proto__') Object.defineProperty(record, name, { value, enumerable: true });
  else record[name] = value;
}

function requestContext(request: GatewayRequest, userAgent: string | null): APIGatewayProxyEvent['requestContext'] {
  return {
    accountId: '000000000000',
    apiId: 'local',
    authorizer: null,
    domainName: '127.0.0.1',
    domainPrefix: 'local',
    extendedRequestId: request.requestId,
    httpMethod: request.method,
    identity: { ...noIdentity, sourceIp: request.sourceIp, userAgent },
    path: `/${stage}${request.path}`,
    protocol: 'HTTP/1.1',
    requestId: request.requestId,
    requestTime: commonLogTime(request.at),
    requestTimeEpoch: request.at.getTime(),
    resourceId: 'local',
    resourcePath: request.resource,
    stage,
  };
}

const noIdentity = {
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  user: null,
  userArn: null,
};

let lastTime = { second: -1, text: '' };

/** Such as `09/Apr/2026:12:34:56 +0000`; made once for the requests of a second. */
function commonLogTime(at: Date): string {
  const second = Math.floor(at.getTime() / 1000);
  if (lastTime.second !== second) {
    const [, day, month, year, time] = at.toUTCString().split(' ');
    lastTime = { second, text: `${day}/${month}/${year}:${time} +0000` };
  }
  return lastTime.text;
}
