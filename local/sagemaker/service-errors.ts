import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { sendJson } from '../shared/loopback.ts';

/** An error that SageMaker returns before any byte of the model (SageMaker runtime API, "Errors"). */
export interface ServiceError {
  readonly status: number;
  readonly type: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const plain =
  (status: number, type: string) =>
  (Message: string): ServiceError => ({ status, type, body: { Message } });

export const validationError = plain(400, 'ValidationError');
export const internalFailure = plain(500, 'InternalFailure');
export const unknownOperation = plain(404, 'UnknownOperationException');

export const throttling: ServiceError = plain(400, 'ThrottlingException')('Rate exceeded');
export const serviceUnavailable: ServiceError = plain(
  503,
  'ServiceUnavailable',
)('The service is unavailable. Try again.');

/** A response of the container with a status of 400 or more, wrapped as SageMaker does. */
export function modelError(endpoint: string, status: number, containerBody: unknown): ServiceError {
  const text = typeof containerBody === 'string' ? containerBody : JSON.stringify(containerBody);
  const side = status < 500 ? 'client' : 'server';
  return {
    status: 424,
    type: 'ModelError',
    body: {
      ErrorCode: status < 500 ? 'CLIENT_ERROR_FROM_MODEL' : 'SERVER_ERROR_FROM_MODEL',
      LogStreamArn: `arn:aws:logs:us-east-1:000000000000:log-group:/aws/sagemaker/Endpoints/${endpoint}`,
      Message: `Received ${side} error (${status}) from primary with message "${text}".`,
      OriginalMessage: text,
      OriginalStatusCode: status,
    },
  };
}

export function sendServiceError(res: ServerResponse, { status, type, body }: ServiceError): void {
  sendJson(res, status, body, { 'x-amzn-requestid': randomUUID(), 'x-amzn-errortype': type });
}
