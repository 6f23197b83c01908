import { busy, misconfigured, modelError } from '../runtime-errors.ts';

/** Messages of ValidationException about the deployer's choice of a model, not about the caller's request. */
const wrongModel =
  /model identifier|on-demand throughput|inference profile|end of its life|not authorized|access to the model/i;

/** Converts an error of Bedrock's client to one of SageMaker's runtime (Bedrock "Troubleshooting API errors"). */
export function runtimeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { message } = error;
  switch (error.name) {
    case 'ValidationException':
      return wrongModel.test(message) ? misconfigured('invalid model', error) : modelError(400, message);
    case 'AccessDeniedException':
    case 'ResourceNotFoundException':
    case 'UnrecognizedClientException':
      return misconfigured('no access to the model', error);
    case 'ThrottlingException':
    case 'ModelNotReadyException':
    case 'ServiceQuotaExceededException':
    case 'ServiceUnavailableException':
      return busy(error);
    case 'ModelErrorException':
    case 'ModelStreamErrorException':
      return modelError(statusOf(error), message);
    case 'InternalServerException':
      return modelError(500, message);
    default:
      return error;
  }
}

/** Returns the model's status, which may be a 4xx for an error of the caller. Default: 500. */
function statusOf(error: Error): number {
  const status = 'originalStatusCode' in error ? Number(error.originalStatusCode) : Number.NaN;
  return status >= 400 && status < 600 ? status : 500;
}
