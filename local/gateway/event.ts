import type { ServerResponse } from 'node:http';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as v from 'valibot';
import { formatOf } from '#contract/http/format.ts';
import { errorStatus, type Refusal } from '#contract/shared/errors.ts';

export interface GatewayRequest {
  readonly method: string;
  /** Path and query, still encoded. */
  readonly path: string;
  readonly query: string;
  /** Alternating names and values, in the client's spelling. */
  readonly rawHeaders: readonly string[];
  readonly sourceIp: string;
  readonly body: Uint8Array;
  readonly isBinary: boolean;
  readonly requestId: string;
  /** Such as `/api/keys/{id}`. Its parameters are decoded. */
  readonly resource: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly at: Date;
}

const stage = 'local';
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Headers that API Gateway does not forward. */
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
 * The event of a REST API with Lambda proxy integration (AWS "Input format of a Lambda function for proxy
 * integration"). Header names keep their spelling. Single-value maps contain the last of repeated headers and query
 * parameters. Absent maps and bodies are null. Binary and non-UTF-8 bodies are base64.
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

/** Names are case-insensitive. The first spelling is used. */
function headersOf(rawHeaders: readonly string[]): Grouped {
  const headers = emptyGroup();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const lower = name.toLowerCase();
    if (!hopByHop.has(lower)) add(headers, lower, name, rawHeaders[index + 1] ?? '');
  }
  return headers;
}

function parametersOf(query: string): Grouped | undefined {
  if (query === '') return undefined;
  const parameters = emptyGroup();
  for (const [name, value] of new URLSearchParams(query)) add(parameters, name, name, value);
  return parameters.names.size > 0 ? parameters : undefined;
}

/** All values and the last value of each name. `names` maps a normalized name to its first spelling. */
interface Grouped {
  readonly names: Map<string, string>;
  readonly all: Record<string, string[]>;
  readonly last: Record<string, string>;
}

const emptyGroup = (): Grouped => ({ names: new Map(), all: {}, last: {} });

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

/** Handles the name `__proto__`, which assignment does not set. */
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

/** Such as `09/Apr/2026:12:34:56 +0000`. Cached for one second. */
function commonLogTime(at: Date): string {
  const second = Math.floor(at.getTime() / 1000);
  if (lastTime.second !== second) {
    const [, day, month, year, time] = at.toUTCString().split(' ');
    lastTime = { second, text: `${day}/${month}/${year}:${time} +0000` };
  }
  return lastTime.text;
}

type HeaderValue = string | number | boolean;
const isHeaderValue = (value: unknown): value is HeaderValue => ['string', 'number', 'boolean'].includes(typeof value);

/** One function instead of a schema pipeline, which takes longer: every response is checked. */
const isStatus = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599;

const headers = <T>(isValue: (value: unknown) => value is T) =>
  v.custom<Record<string, T>>(
    (value) => typeof value === 'object' && value !== null && Object.values(value).every(isValue),
    'must be headers',
  );

const head = {
  statusCode: v.custom<number>(isStatus, 'must be a status'),
  headers: v.optional(headers(isHeaderValue)),
  multiValueHeaders: v.optional(
    headers((value): value is HeaderValue[] => Array.isArray(value) && value.every(isHeaderValue)),
  ),
  cookies: v.optional(v.array(v.string())),
};

/** Status and headers that a streaming handler sends before its first byte. */
export const ReplyHead = v.object(head);
export type ReplyHead = v.InferOutput<typeof ReplyHead>;

/** Result of a buffered handler (AWS "Output format of a Lambda function for proxy integration"). */
const GatewayReply = v.object({
  ...head,
  body: v.optional(v.nullable(v.string()), ''),
  isBase64Encoded: v.optional(v.boolean(), false),
});

/** Headers that the gateway sets itself. */
const framing = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding']);

/** Sets the status and headers without sending them. Throws on an invalid header. */
export function writeHead(response: ServerResponse, reply: ReplyHead): void {
  response.writeHead(reply.statusCode, headerList(reply));
}

function headerList({ headers, multiValueHeaders, cookies }: ReplyHead): string[] {
  const list: string[] = [];
  const values = new Map<string, string[]>();
  const add = (name: string, value: string): void => {
    const lower = name.toLowerCase();
    const before = values.get(lower);
    if (framing.has(lower) || before?.includes(value)) return;
    if (before) before.push(value);
    else values.set(lower, [value]);
    list.push(name, value);
  };
  for (const [name, values] of Object.entries(multiValueHeaders ?? {}))
    for (const value of values) add(name, String(value));
  for (const [name, value] of Object.entries(headers ?? {})) add(name, String(value));
  for (const cookie of cookies ?? []) add('Set-Cookie', cookie);
  if (!values.has('content-type')) list.push('Content-Type', 'application/json');
  return list;
}

/** Maximum bytes of a buffered function's JSON result (AWS "Lambda quotas", invocation payload). */
const maxResultBytes = 6_291_556;

/** Sends the result of a buffered handler. Throws before sending if the result is invalid or too large for Lambda. */
export function sendReply(response: ServerResponse, result: unknown): void {
  const reply = v.parse(GatewayReply, result);
  // JSON uses at most six bytes per character, so most results need not be measured.
  const mayExceedLimit = (reply.body?.length ?? 0) * 6 > maxResultBytes / 2;
  if (mayExceedLimit && Buffer.byteLength(JSON.stringify(result)) > maxResultBytes)
    throw new Error(`the result is larger than ${maxResultBytes} bytes`);
  const body = Buffer.from(reply.body ?? '', reply.isBase64Encoded ? 'base64' : 'utf8');
  const hasBody = reply.statusCode !== 204 && reply.statusCode !== 304;
  const length = hasBody ? ['Content-Length', String(body.byteLength)] : [];
  response.writeHead(reply.statusCode, [...headerList(reply), ...length]);
  response.end(hasBody ? body : undefined);
}

/** Sends a gateway error in the path's response format. */
export function sendError(response: ServerResponse, path: string, refusal: Refusal, requestId: string): void {
  const format = formatOf(path);
  const statusCode = errorStatus[refusal.code];
  const retryAfter = statusCode === 503 && { 'Retry-After': 1 };
  sendReply(response, {
    statusCode,
    headers: { 'x-request-id': requestId, ...format.errorHeaders(refusal), ...retryAfter },
    body: JSON.stringify(format.error(refusal)),
  });
}
