import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as v from 'valibot';
import { idempotencyKey, type ResponseKind } from '#contract/http/request.ts';
import { queryNamesOf, type Route } from '#contract/http/route.ts';
import type { Order, Proof } from '#domain/inference/order.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { Call, Middleware } from './call.ts';
import { headerValues } from './headers.ts';
import { requestBody } from './json-body.ts';

/** Creates the order, or throws 400. Awaits the proof before work that costs more than parsing. */
export type MakeOrder = (body: unknown, prove: Proof, kind: ResponseKind) => Promise<Order>;

/**
 * Refuses (400) unknown query parameters, and drops undeclared fields. `check` or `makeOrder` refuses (400) violations
 * that no schema can express.
 */
export function validate(
  route: Route,
  makeOrder?: MakeOrder,
  check?: (call: Call) => void | Promise<void>,
): Middleware {
  return {
    before: async function validateInput({ event, context: { call } }) {
      const prove = async () => call.identity?.prove?.();
      try {
        if (call.identity?.malformed) throw call.identity.malformed;
        const path = parse(route.pathInput, event.pathParameters ?? {}, 'path');
        refuseUnknownQuery(route, event.queryStringParameters ?? {});
        const query = parse(route.queryInput, event.queryStringParameters ?? {}, 'query');
        call.input = { path, query, body: undefined };
        if (route.rawBody) call.input.body = rawBody(event, route.rawBody.header);
        else if (route.bodyInput) {
          const { kind, value, literals } = await requestBody(event, route, prove);
          const schema = kind === 'multipart' ? (route.formInput ?? route.bodyInput) : route.bodyInput;
          call.input.body = parse(schema, value, 'body');
          call.literals = literals;
        }
        const key = route.idempotent && idempotencyKeyOf(event);
        if (key) call.idempotency = { key };
        await check?.(call);
        const proveForWork = async () => call.identity?.proveForWork?.();
        if (makeOrder) call.order = await makeOrder(call.input.body, proveForWork, call.responseKind);
      } catch (error) {
        await prove();
        throw error;
      }
    },
  };
}

/** A name that may be a misplaced secret is not repeated. */
const parameterName = /^[A-Za-z_.[\]-]{1,32}$/;

function refuseUnknownQuery(route: Route, query: Readonly<Record<string, unknown>>): void {
  const known = queryNamesOf(route);
  const unknown = known && Object.keys(query).find((name) => !known.includes(name));
  if (!known || unknown === undefined) return;
  const isShown = parameterName.test(unknown);
  const named = isShown ? `query parameter ${unknown}` : 'such query parameter';
  const accepted = known.length > 0 ? `It accepts ${known.join(', ')}.` : 'It accepts none.';
  throw new ServiceError('INVALID_FORMAT', `This operation has no ${named}. ${accepted}`, {
    ...(isShown && { field: { path: unknown, isMissing: false } }),
  });
}

function rawBody(event: APIGatewayProxyEvent, header: string) {
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  const [value = ''] = headerValues(event, header);
  return { bytes, header: value };
}

function parse(schema: v.GenericSchema | undefined, value: unknown, part: string): unknown {
  if (!schema) return undefined;
  const result = v.safeParse(schema, value, { abortEarly: true });
  if (result.success) return result.output;
  throw refusal(result.issues[0], part);
}

/** Valibot reports a missing field with the message of the enclosing object. */
function refusal(issue: v.BaseIssue<unknown>, part: string): ServiceError {
  const path = v.getDotPath(issue);
  const isMissing = issue.type === 'object' && issue.expected !== 'Object';
  const message = isMissing ? 'is required' : issue.message;
  // A message without a period, such as "is required", continues the name of its field.
  const detail = message.endsWith('.') ? message : `${path ?? `The ${part}`} ${message}.`;
  return new ServiceError('INVALID_FORMAT', detail, { ...(path !== null && { field: { path, isMissing } }) });
}

const pattern = new RegExp(idempotencyKey.pattern);

/** Strips the optional quotes. Throws 400 for an invalid value. */
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
