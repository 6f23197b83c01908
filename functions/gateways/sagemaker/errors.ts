import type { ModelError, ModelStreamError } from '@aws-sdk/client-sagemaker-runtime';
import * as v from 'valibot';
import { BodyTooLarge } from '#aws/bounded-body.ts';
import { parseJson } from '#contract/shared/json.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { type ContainerFailure, failureError, failureIn } from './container-failure.ts';

const retryAfterSeconds = 5;

/**
 * Maps a failed invocation to the caller's error (docs/inference.md#sagemaker-errors). The cause is for the log.
 * `timedOut`: our own deadline has passed, which the SDK reports in several ways.
 */
export function serviceErrorOf(error: unknown, model: string, timedOut: boolean): ServiceError {
  if (error instanceof ServiceError) return error;
  const cause = withoutWords(error);
  if (timedOut || hasTimedOut(error)) {
    return new ServiceError('MODEL_TIMEOUT', 'The model did not respond in time.', { cause });
  }
  if (isModelError(error)) return failureError(containerFailure(error), model, cause);
  if (isPassing(error)) {
    const detail = 'The model is busy or starting. Try again.';
    return new ServiceError('SERVICE_UNAVAILABLE', detail, { cause, retryAfterSeconds });
  }
  if (isNamed(error, 'ValidationError') || isNamed(error, 'ValidationException')) {
    const detail = `The model ${model} is not available.`;
    return new ServiceError('SERVICE_UNAVAILABLE', detail, { cause, retryAfterSeconds });
  }
  return new ServiceError('MODEL_ERROR', detailOf(error), { cause });
}

/** SageMaker allows 60 s for a whole reply and the configured duration for a stream. Bedrock has its own timeout. */
function hasTimedOut(error: unknown): boolean {
  if (isNamed(error, 'ModelTimeoutException')) return true;
  if (isModelStreamError(error)) return error.ErrorCode === 'ModelInvocationTimeExceeded';
  return isModelError(error) && /invocation timed out while waiting/.test(error.message);
}

function detailOf(error: unknown): string {
  const isInvalid = v.isValiError(error) || error instanceof SyntaxError || error instanceof BodyTooLarge;
  if (isInvalid) return 'The model returned an invalid response.';
  if (error instanceof Error && '$fault' in error) return 'The model failed.';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('HPE_')) return 'The model returned an invalid response.';
  return breaks.has(code)
    ? 'The connection to the model broke before the response was complete.'
    : 'The model could not be reached.';
}

/** Error codes of a connection that was closed after it had opened. */
const breaks = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

const passing = ['ModelNotReadyException', 'ServiceUnavailable', 'ThrottlingException'];

const isPassing = (error: unknown): boolean => passing.some((name) => isNamed(error, name));

/** Compared by name, because importing the classes would load the whole SDK, which most calls never need. */
const isModelError = (error: unknown): error is ModelError => isNamed(error, 'ModelError');
const isModelStreamError = (error: unknown): error is ModelStreamError => isNamed(error, 'ModelStreamError');

function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}

/** The container's response: JSON of its family, or text from a proxy in front of it. */
function containerFailure({ OriginalMessage = '', OriginalStatusCode = 500 }: ModelError): ContainerFailure {
  return { message: failureIn(parseJson(OriginalMessage))?.message ?? OriginalMessage, status: OriginalStatusCode };
}

/**
 * Returns the error without messages that are not our own. SageMaker's message quotes the container, and a parser's
 * quotes its input; either may contain the caller's prompt.
 */
function withoutWords(error: unknown): unknown {
  if (!(error instanceof Error) || v.isValiError(error) || error instanceof TypeError) return error;
  const { name, code, OriginalStatusCode, ErrorCode, $metadata } = v.parse(Facts, error);
  const facts = [name, code, OriginalStatusCode, ErrorCode].filter((fact) => fact !== undefined);
  return Object.assign(new Error(facts.join(' ')), { $metadata });
}

const fact = v.fallback(v.optional(v.pipe(v.string(), v.regex(/^\w{1,64}$/))), undefined);

const Facts = v.object({
  name: fact,
  code: fact,
  OriginalStatusCode: v.fallback(v.optional(v.number()), undefined),
  ErrorCode: fact,
  $metadata: v.optional(v.unknown()),
});
