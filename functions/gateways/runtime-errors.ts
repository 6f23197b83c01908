/** Errors with the names of SageMaker's runtime (`./sagemaker/errors.ts`), so that callers see no difference. */

/** An error of the model itself, with its status and message. */
export const modelError = (status: number, text: string): Error =>
  Object.assign(new Error(`status ${status}`), {
    name: 'ModelError',
    OriginalStatusCode: status >= 400 ? status : 502,
    OriginalMessage: text,
  });

/** A mistake of the deployer. Callers see an unavailable model. */
export const misconfigured = (reason: string, cause?: unknown): Error =>
  Object.assign(new Error(reason, { cause }), { name: 'ValidationException' });

/** Throttled, starting or overloaded. */
export const busy = (cause: unknown): Error =>
  Object.assign(new Error('busy', { cause }), { name: 'ThrottlingException' });
