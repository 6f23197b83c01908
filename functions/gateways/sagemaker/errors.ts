import {
  InternalDependencyException,
  InternalFailure,
  ModelError,
  ModelNotReadyException,
  ServiceUnavailable,
} from '@aws-sdk/client-sagemaker-runtime';
import { ServiceError } from '#domain/service-error.ts';

const retrySoon = { 'Retry-After': '5' };

/** What a caller is told of a failed invocation (reference: ecosystem section 4). The cause goes to the log only. */
export function serviceErrorOf(cause: unknown, model: string): ServiceError {
  if (cause instanceof ServiceError) return cause;
  if (isNamed(cause, 'AbortError'))
    return new ServiceError('MODEL_TIMEOUT', `The model ${model} did not answer in time.`, { cause });
  if (cause instanceof ModelError) return containerError(cause, model);
  if (
    cause instanceof ModelNotReadyException ||
    cause instanceof ServiceUnavailable ||
    isNamed(cause, 'ThrottlingException')
  ) {
    const detail = `The model ${model} is busy or starting; try again.`;
    return new ServiceError('SERVICE_UNAVAILABLE', detail, { cause, headers: retrySoon });
  }
  if (isNamed(cause, 'ValidationError') || isNamed(cause, 'ValidationException')) {
    return new ServiceError('SERVICE_UNAVAILABLE', `The model ${model} is not available.`, {
      cause,
      headers: retrySoon,
    });
  }
  if (cause instanceof InternalFailure || cause instanceof InternalDependencyException) {
    return new ServiceError('MODEL_ERROR', `The model ${model} failed.`, { cause });
  }
  return new ServiceError('MODEL_ERROR', `The model ${model} could not be reached.`, { cause });
}

/** The container answered with an error of its own: the request's fault, overload, or a crash. */
function containerError(cause: ModelError, model: string): ServiceError {
  const status = cause.OriginalStatusCode ?? 500;
  const message = cause.OriginalMessage ?? '';
  if (/maximum context length|must have less than|max_new_tokens/.test(message)) {
    return new ServiceError(
      'CONTEXT_LENGTH_EXCEEDED',
      `context_length_exceeded: the request does not fit the context of ${model}.`,
      { cause },
    );
  }
  if (status === 400 || status === 413 || status === 422) {
    return new ServiceError('INVALID_FORMAT', `The model ${model} refused the request.`, { cause });
  }
  if (status === 429 || status === 503) {
    return new ServiceError('SERVICE_UNAVAILABLE', `The model ${model} is busy; try again.`, {
      cause,
      headers: retrySoon,
    });
  }
  return new ServiceError('MODEL_ERROR', `The model ${model} failed.`, { cause });
}

function isNamed(cause: unknown, name: string): boolean {
  return cause instanceof Error && cause.name === name;
}
