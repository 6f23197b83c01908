import { formatNameOf } from '#contract/http/format.ts';
import { violations } from './json-schema.ts';
import { type Operation, resolve } from './openapi.ts';

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/**
 * Differences between a response and the document: status, code, content type, headers, and wrong, missing or
 * undeclared fields. A 5xx is always a difference.
 */
export function undocumented(operation: Operation, { status, headers, text }: RawResponse): string[] {
  const response = operation.responses.get(status);
  if (status >= 500) return [`returned ${status}: ${text}`];
  if (!response) return [`returned ${status}, which is not documented: ${text}`];
  if (operation.method === 'HEAD') return text === '' ? [] : [`returned a body: ${text}`];
  const type = String(headers['content-type']).split(';')[0]!;
  const content = response.content[type];
  if (!content) return [`returned ${status} as ${type}: ${text.slice(0, 200)}`];
  const missing = headers['x-request-id'] ? [] : ['has no x-request-id'];
  if (content.schema['format'] === 'binary' || content.schema['format'] === 'text') return missing;
  const schema = content.schema.contentSchema ?? content.schema;
  const value = content.schema.contentSchema ? eventsOf(text) : parsed(text);
  return [...missing, ...violations(schema, value, { resolve, closed: true })];
}

const errorNames = { envelope: 'Error', openai: 'OpenAiError', responses: 'OpenAiError', anthropic: 'AnthropicError' };

/** Like `undocumented`, for a response that must be an error, even if the request reached no operation. */
export function noRefusal(path: string, { status, headers, text }: RawResponse): string[] {
  const name = errorNames[formatNameOf(path)];
  const value = parsed(text);
  const inBody = name === 'Error' ? (value as { status?: unknown } | undefined)?.status : status;
  return [
    ...(status >= 400 && status < 500 && inBody === status ? [] : [`returned ${status}: ${text}`]),
    ...(String(headers['content-type']).startsWith('application/json') ? [] : ['is no JSON']),
    ...(headers['x-request-id'] ? [] : ['has no x-request-id']),
    ...violations({ $ref: `#/components/schemas/${name}` }, value, { resolve }),
  ];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An event of some formats begins with its name. */
const named = /^(?:event: \S+\n)?data: ([^\n]*)$/;

/** The data of a stream's events, parsed from JSON. The `[DONE]` of an OpenAI stream is not JSON and must come last. */
function eventsOf(text: string): unknown[] {
  const events = text.split('\n\n');
  const end = events.pop();
  const isWhole = end === '' && events.every((event) => named.test(event));
  const data = events.map((event) => event.replace(named, '$1'));
  return isWhole ? (data.at(-1) === '[DONE]' ? data.slice(0, -1) : data).map(parsed) : [undefined];
}
