import { inputWithAttributes } from '#repositories/shared/attributes.ts';
import type { HttpRequest } from '../aws/signature.ts';

export const dynamodbRequest = (operation: string, input: object): HttpRequest => ({
  path: '/',
  headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${operation}` },
  body: JSON.stringify(inputWithAttributes(input)),
});
