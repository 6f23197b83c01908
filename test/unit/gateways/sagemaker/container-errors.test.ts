import { ModelError, ModelStreamError } from '@aws-sdk/client-sagemaker-runtime';
import { describe, expect, it } from 'vitest';
import { serviceErrorOf } from '#gateways/sagemaker/errors.ts';

const tooLong =
  "This model's maximum context length is 4096 tokens. However, you requested 5021 tokens (4509 in the messages, 512 in the completion).";
const tooLongInput =
  "This model's maximum context length is 2048 tokens. However, your request has 8 input tokens plus 2045 'max_tokens'.";
const tooLargeOutput =
  "'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length is 4096 tokens and your request has 20 input tokens (5000 > 4096 - 20).";
const tgiTooLong =
  'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 200 `max_new_tokens`';
const fewerThan = (max: number, given: number) =>
  `Input validation error: \`inputs\` must have less than ${max} tokens. Given: ${given}`;
const llamaTooLong = { code: 400, message: 'it exceeds the available context size', type: 'exceed_context_size_error' };
const timedOut = 'Your invocation timed out while waiting for a response from container primary.';
const undeserialized = 'Failed to deserialize the JSON body into the target type';
const notPositive = 'Input validation error: `max_new_tokens` must be strictly positive';
const tooManyTexts = 'batch size 33 > maximum allowed batch size 32';

/** Response bodies of the containers: an object with a message, or the message itself. */
const nested = (message: string, type = 'BadRequestError') =>
  JSON.stringify({ error: { message, type, param: null, code: 400 } });
const plain = (error: string, error_type?: string) => JSON.stringify({ error, error_type });
const older = JSON.stringify({ object: 'error', message: tooLong, type: 'BadRequestError', code: 400 });

describe('a container error', () => {
  const [tooMany, invalid, busy] = ['CONTEXT_LENGTH_EXCEEDED', 'INVALID_FORMAT', 'SERVICE_UNAVAILABLE'] as const;
  it.each([
    ['vllm', 400, nested(tooLong), tooMany, /^context_length_exceeded: .*4096.*5021/],
    ['older vllm', 400, older, tooMany, /4096.*5021/],
    ['newest vllm', 400, nested(tooLongInput), tooMany, /2048.*2053/],
    ['vllm on max_tokens', 400, nested(tooLargeOutput), tooMany, /4096.*5020/],
    ['lmi', 400, plain(tooLong), tooMany, /4096.*5021/],
    ['lmi while parsing', 424, plain(`Input parsing failed: ${tooLong}`), tooMany, /4096.*5021/],
    ['tgi', 422, plain(tgiTooLong, 'validation'), tooMany, /4096.*4200/],
    ['tgi on the prompt', 422, plain(fewerThan(1024, 2000), 'validation'), tooMany, /1024.*2000/],
    ['tei', 413, plain(fewerThan(512, 600), 'Validation'), tooMany, /512.*600/],
    ['llama.cpp', 400, JSON.stringify({ error: llamaTooLong }), tooMany, /does not fit/],
    ['tgi on another rule', 422, plain(notPositive, 'validation'), invalid, /rejected the request/],
    ['vllm on another rule', 400, nested('top_k must be -1'), invalid, /rejected the request/],
    ['tgi on an unreadable body', 422, undeserialized, invalid, /rejected the request/],
    ['tei on too many texts', 413, plain(tooManyTexts, 'Validation'), invalid, /rejected the request/],
    ['tgi, overloaded', 429, plain('Model is overloaded', 'overloaded'), busy, /busy/],
    ['tei, unhealthy', 503, plain('unhealthy', 'Unhealthy'), busy, /busy/],
    ['the backend of tei', 424, plain('Backend error: CUDA', 'Backend'), 'MODEL_ERROR', /failed/],
    ['tgi while generating', 424, plain('Request failed during generation: x', 'generation'), 'MODEL_ERROR', /failed/],
    ['vllm on an unknown model', 404, nested('The model `x` does not exist.'), 'MODEL_ERROR', /failed/],
    ['a proxy', 502, '<html>Bad Gateway</html>', 'MODEL_ERROR', /failed/],
    ['an unknown source', 500, '', 'MODEL_ERROR', /failed/],
    ['SageMaker after its timeout', 0, timedOut, 'MODEL_TIMEOUT', /in time/],
  ] as const)(
    'from %s with status %i becomes the expected error',
    (_, OriginalStatusCode, OriginalMessage, code, detail) => {
      const message = `Received client error (${OriginalStatusCode}) from primary with message "${OriginalMessage}"`;
      const cause = new ModelError({ message, OriginalStatusCode, OriginalMessage, $metadata: {} });
      const error = serviceErrorOf(cause, 'svc-1', false);
      expect(error.code).toBe(code);
      expect(error.message).toMatch(detail);
      expect(error.retryAfterSeconds !== undefined).toBe(code === 'SERVICE_UNAVAILABLE');
    },
  );

  it.each([
    ['ECONNRESET', /connection .* broke/],
    ['ECONNREFUSED', /could not be reached/],
    ['HPE_INVALID_CONSTANT', /invalid response/],
    ['invalid JSON', /invalid response/],
  ])('of type %s becomes MODEL_ERROR, without advice to try again', (code, detail) => {
    const cause = code === 'invalid JSON' ? new SyntaxError('x') : Object.assign(new Error('x'), { code });
    const error = serviceErrorOf(cause, 'svc-1', false);
    expect([error.code, error.retryAfterSeconds]).toEqual(['MODEL_ERROR', undefined]);
    expect(error.message).toMatch(detail);
    expect(error.message).not.toMatch(/busy|try again/);
  });

  it('is logged by its type, without its text', () => {
    const secret = 'the prompt of somebody';
    const $metadata = { httpStatusCode: 424, requestId: 'r-1' };
    const failed = { message: secret, OriginalMessage: secret, OriginalStatusCode: 500, $metadata };
    const broken = { message: secret, ErrorCode: 'StreamBroken', $metadata };
    const unread = Object.assign(new SyntaxError(`Unexpected token in "${secret}"`), { $metadata });
    const cut = Object.assign(new Error(`read ECONNRESET ${secret}`), { code: 'ECONNRESET' });
    const odd = Object.assign(new Error(secret), { name: secret, code: secret });
    const causes = [new ModelError(failed), new ModelStreamError(broken), unread, cut, odd].map(
      (error) => serviceErrorOf(error, 'svc-1', false).cause as Error,
    );
    expect(causes.map(({ message }) => message)).toEqual([
      'ModelError 500',
      'ModelStreamError StreamBroken',
      'SyntaxError',
      'Error ECONNRESET',
      '',
    ]);
    expect(causes.some(({ stack }) => stack?.includes(secret))).toBe(false);
    expect(causes[0]).toMatchObject({ $metadata });
  });
});
