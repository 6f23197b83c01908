import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { AnswerFormat } from '#contract/http/response-format.ts';
import type { Route } from '#contract/http/route.ts';
import { errorStatus } from '#contract/shared/errors.ts';
import { StreamedAnswer } from '#domain/inference/model-stream.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { Call, Middleware } from './call.ts';
import { cookiesOf } from './cookies.ts';
import { type EventStream, eventStream } from './event-stream.ts';

export interface Outcome {
  readonly sessionCookie: string;
  /** What the caller is told of an error that is not a ServiceError; undefined for one nobody foresaw. */
  explain(error: unknown): ServiceError | undefined;
  onUnforeseen(error: unknown, requestId: string): void;
  /** Told of every failure that is not the caller's (5xx) and was foreseen; its cause is for the operators. */
  onFailure(error: ServiceError, failed: Failed): void;
}

/** Which request failed, and which model it had asked for. */
export interface Failed {
  readonly requestId: string;
  readonly model: string | undefined;
}

const fixedHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
};

const streamHeaders = { 'Content-Type': 'text/event-stream; charset=utf-8' };

/** Puts every answer, success or error, into the envelope or the other format asked for; the only place that knows statuses. */
export function envelope(
  outcome: () => Outcome,
  success: Route['success'],
  formatFor: (event: APIGatewayProxyEvent) => AnswerFormat,
): Middleware {
  return {
    after: function wrapData(request) {
      const { call } = request.context;
      const format = formatFor(request.event);
      const { status, message } = call.replay ?? success;
      const headers = headersOf(call);
      call.status = status;
      const afterEnd = (): void => call.afterEnd?.();
      const answer = request.response;
      if (answer instanceof StreamedAnswer) {
        const body = streamed(answer, call, format);
        request.response = { statusCode: status, headers: { ...headers, ...streamHeaders }, body, afterEnd };
        // Last, so that all else is done while the model works; a failure makes an error answer of this one.
        return answer.begun();
      }
      const body = JSON.stringify(format.success(status, message, answer ?? null));
      const { afterBody } = call;
      const cookies = cookieHeaders(call, outcome().sessionCookie);
      request.response = { statusCode: status, headers, ...cookies, body, ...(afterBody && { afterBody, afterEnd }) };
      return undefined;
    },
    onError: function wrapError(request) {
      const { call } = request.context;
      const error = serviceErrorOf(request.error, call);
      const format = formatFor(request.event);
      const headers = { ...headersOf(call), ...format.errorHeaders(error), ...error.headers };
      call.status = errorStatus[error.code];
      const cookies = cookieHeaders(call, outcome().sessionCookie);
      request.response = { statusCode: call.status, headers, ...cookies, body: JSON.stringify(format.error(error)) };
    },
  };

  function streamed(answer: StreamedAnswer, call: Call, format: AnswerFormat): EventStream {
    return eventStream(answer, {
      format,
      onFirstPiece: call.markFirstByte,
      settle: async () => call.afterBody?.(),
      explain: (error) => serviceErrorOf(error, call),
    });
  }

  function serviceErrorOf(error: unknown, call: Call): ServiceError {
    const told = explained(error, call);
    call.refusal = told.code;
    return told;
  }

  function explained(error: unknown, call: Call): ServiceError {
    const { requestId, order } = call;
    const known = error instanceof ServiceError ? error : outcome().explain(error);
    if (known && errorStatus[known.code] >= 500) outcome().onFailure(known, { requestId, model: order?.model });
    if (known) return known;
    outcome().onUnforeseen(error, call.requestId);
    return new ServiceError(
      'INTERNAL_ERROR',
      `Something went wrong on our side; name the request ${call.requestId} when you ask about it.`,
    );
  }
}

function headersOf(call: Call): Record<string, string> {
  return { ...fixedHeaders, 'x-request-id': call.requestId, ...call.headers };
}

/** A header that may come twice goes the gateway's other way. */
function cookieHeaders(call: Call, sessionCookie: string) {
  return call.session || call.device ? { multiValueHeaders: { 'Set-Cookie': cookiesOf(call, sessionCookie) } } : {};
}
