import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { corsHeaders, allowsOrigin, preflightHeaders } from '#contract/http/cors.ts';
import { formatOf } from '#contract/http/format.ts';
import { matchesPath } from '#contract/http/route-match.ts';
import type { Route } from '#contract/http/route.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { CallContext } from '#middleware/call.ts';
import { envelope } from '#middleware/envelope.ts';
import { headerValues, originOf } from '#middleware/headers.ts';
import { requestLog } from '#middleware/request-log.ts';
import { bufferedHandler } from './send-response.ts';
import { log, outcome } from './stack.ts';

const unmatchedRoute = { id: 'unknown-route' };

/**
 * Handles preflights of allowed origins. Other unmatched requests: 405 with `Allow` if the path exists, otherwise 404.
 */
export function unknownRoute(routes: readonly Pick<Route, 'method' | 'path'>[]) {
  const handle = middy<APIGatewayProxyEvent, unknown, Error, CallContext>()
    .use(requestLog(unmatchedRoute, () => log))
    .use(
      envelope(
        () => outcome,
        { success: { status: 404, message: 'NOT_FOUND' }, responseKinds: ['json'] },
        ({ path }) => formatOf(path),
      ),
    )
    .handler(({ path, httpMethod }) => {
      const allowedMethods = routes.filter((route) => matchesPath(route, path)).map((route) => route.method);
      if (allowedMethods.length === 0)
        throw new ServiceError('NOT_FOUND', 'No such endpoint: check the method and path.');
      const detail = `${httpMethod.slice(0, 16)} is not allowed at this path; allowed methods: ${allowedMethods.join(', ')}.`;
      throw new ServiceError('METHOD_NOT_ALLOWED', detail, { allowedMethods });
    });
  const respond = bufferedHandler(handle);
  return async (event: APIGatewayProxyEvent, context: Context) => preflight(event) ?? respond(event, context);
}

/** Returns the response to a preflight. Undefined for other requests and for origins that are not allowed. */
function preflight(event: APIGatewayProxyEvent): APIGatewayProxyResult | undefined {
  const isPreflight = event.httpMethod === 'OPTIONS' && headerValues(event, 'access-control-request-method').length > 0;
  const request = [outcome.corsOrigins, event.path, originOf(event)] as const;
  if (!isPreflight || !allowsOrigin(...request)) return undefined;
  return { statusCode: 204, headers: { ...corsHeaders(...request), ...preflightHeaders }, body: '' };
}
