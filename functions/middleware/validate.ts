import * as v from 'valibot';
import type { ResponseKind } from '#contract/http/media-kinds.ts';
import type { Route } from '#contract/http/route.ts';
import type { Order } from '#domain/inference/order.ts';
import type { Proof } from '#domain/inference/tokens.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { Call, Middleware } from './call.ts';
import { idempotencyKeyOf } from './request/idempotency-key.ts';
import { requestBody } from './request/request-body.ts';

/** Makes the order of a parsed body, and refuses (400) what no schema can. Before it does more than parsing costs, it awaits the proof. */
export type MakeOrder = (body: unknown, prove: Proof, kind: ResponseKind) => Promise<Order>;

/**
 * Parses path, query and body by the route's schemas; what a schema does not name goes no further. `check` refuses (400)
 * what no schema can; on a priced route `makeOrder` does, as it makes the order of the body.
 */
export function validate(
  route: Route,
  makeOrder?: MakeOrder,
  check?: (call: Call) => void | Promise<void>,
): Middleware {
  return {
    before: async function validateInput({ event, context: { call } }) {
      try {
        const path = parse(route.pathInput, event.pathParameters ?? {}, 'path');
        const query = parse(route.queryInput, event.queryStringParameters ?? {}, 'query');
        call.input = { path, query, body: undefined };
        if (route.bodyInput) {
          const { kind, value } = await requestBody(event, route, async () => call.prove?.());
          const schema = kind === 'multipart' ? (route.formInput ?? route.bodyInput) : route.bodyInput;
          call.input.body = parse(schema, value, 'body');
        }
        const key = route.idempotent && idempotencyKeyOf(event);
        if (key) call.idempotencyKey = key;
        await check?.(call);
        const { responseKind = 'json' } = call;
        if (makeOrder) call.order = await makeOrder(call.input.body, async () => call.prove?.(), responseKind);
      } catch (error) {
        await call.prove?.();
        throw error;
      }
    },
  };
}

function parse(schema: v.GenericSchema | undefined, value: unknown, part: string): unknown {
  if (!schema) return undefined;
  const result = v.safeParse(schema, value, { abortEarly: true });
  if (result.success) return result.output;
  throw refusal(result.issues[0], part);
}

/** One sentence that names the field and the rule. Valibot reports a missing field by the message of the object around it. */
function refusal(issue: v.BaseIssue<unknown>, part: string): ServiceError {
  const path = v.getDotPath(issue);
  const isMissing = issue.type === 'object' && issue.expected !== 'Object';
  const detail = `${path ?? `The ${part}`} ${isMissing ? 'is required' : issue.message}.`;
  return new ServiceError('INVALID_FORMAT', detail, { ...(path !== null && { field: { path, isMissing } }) });
}
