import type { ServerResponse } from 'node:http';
import * as v from 'valibot';
import { formatOf } from '#contract/http/format.ts';
import { errorStatus, type Refusal } from '#contract/shared/errors.ts';

type HeaderValue = string | number | boolean;
const isHeaderValue = (value: unknown): value is HeaderValue => ['string', 'number', 'boolean'].includes(typeof value);

/** Checked in one go, as headers are: every response has some ten of them. */
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

/** Status and headers, as a streaming handler gives them before its first byte. */
export const ReplyHead = v.object(head);
export type ReplyHead = v.InferOutput<typeof ReplyHead>;

/** What a buffered handler returns (AWS "Output format of a Lambda function for proxy integration"). */
const GatewayReply = v.object({
  ...head,
  body: v.optional(v.nullable(v.string()), ''),
  isBase64Encoded: v.optional(v.boolean(), false),
});

/** The gateway frames the body itself. */
const framing = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding']);

/** Begins a response, but sends nothing yet; throws on a header that HTTP cannot carry. */
export function writeHead(response: ServerResponse, reply: ReplyHead): void {
  response.writeHead(reply.statusCode, headerList(reply));
}

/** Names and values in turn. Single and multi-value headers are one list; a pair that stands in both is sent once. */
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

/** The largest result of a buffered function, as JSON (AWS "Lambda quotas", invocation payload). */
const maxResultBytes = 6_291_556;

/** Sends a buffered handler's result; throws, with nothing sent, when it is too large for Lambda or not a proxy result. */
export function sendReply(response: ServerResponse, result: unknown): void {
  const reply = v.parse(GatewayReply, result);
  // JSON has at most six bytes for a character, so most results need not be measured.
  const isLarge = (reply.body?.length ?? 0) * 6 > maxResultBytes / 2;
  if (isLarge && Buffer.byteLength(JSON.stringify(result)) > maxResultBytes)
    throw new Error(`the result is larger than ${maxResultBytes} bytes`);
  const body = Buffer.from(reply.body ?? '', reply.isBase64Encoded ? 'base64' : 'utf8');
  const hasBody = reply.statusCode !== 204 && reply.statusCode !== 304;
  const length = hasBody ? ['Content-Length', String(body.byteLength)] : [];
  response.writeHead(reply.statusCode, [...headerList(reply), ...length]);
  response.end(hasBody ? body : undefined);
}

/** An error response of the gateway itself, in the format of everything at the path. */
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
