import type { APIGatewayProxyEvent } from 'aws-lambda';
import { idempotencyKey } from '#contract/http/idempotency-key.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { headerValues } from './headers.ts';

const pattern = new RegExp(idempotencyKey.pattern);

/** The value of the Idempotency-Key header, the same with quotes and without; undefined when there is none. Any other is refused (400). */
export function idempotencyKeyOf(event: APIGatewayProxyEvent): string | undefined {
  const values = headerValues(event, 'idempotency-key');
  if (values.length === 0) return undefined;
  const [, bare, quoted] = (values.length === 1 && pattern.exec(values[0] ?? '')) || [];
  const key = bare ?? quoted?.replaceAll(/\\(.)/g, '$1');
  if (key !== undefined) return key;
  throw new ServiceError(
    'INVALID_FORMAT',
    `The Idempotency-Key header must be sent once, with 1 to ${idempotencyKey.maxLength} printable ASCII characters; a comma needs quotes around them.`,
  );
}
