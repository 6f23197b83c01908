import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ServiceError } from '#domain/service-error.ts';
import { headerValues } from './headers.ts';

const longest = 255;

/** A string of RFC 9651: printable ASCII in quotes, in which `"` and `\` are escaped. */
const quoted = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;

/** Without a comma: proxies join a header that came twice with one. */
const bare = /^[ !#-+\--~]*$/;

/**
 * The value of the Idempotency-Key header, with quotes as the IETF draft has it (draft-ietf-httpapi-idempotency-key-header)
 * or without, which means the same; undefined when there is none. Any other value is refused (400).
 */
export function idempotencyKeyOf(event: APIGatewayProxyEvent): string | undefined {
  const [value, ...more] = headerValues(event, 'idempotency-key');
  if (value === undefined) return undefined;
  const key = more.length === 0 ? unquoted(value) : undefined;
  if (key && key.length <= longest) return key;
  throw new ServiceError(
    'INVALID_FORMAT',
    `The Idempotency-Key header must be sent once, with 1 to ${longest} printable ASCII characters; a comma needs quotes around them.`,
  );
}

function unquoted(value: string): string | undefined {
  return bare.test(value) ? value : quoted.exec(value)?.[1]?.replaceAll(/\\(.)/g, '$1');
}
