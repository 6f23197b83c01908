import { ModelError, ModelStreamError } from '@aws-sdk/client-sagemaker-runtime';
import { describe, expect, it } from 'vitest';
import { serviceErrorOf } from '#gateways/sagemaker/errors.ts';

const tooLong =
  "This model's maximum context length is 4096 tokens. However, you requested 5021 tokens (4509 in the messages, 512 in the completion).";
const tgiTooLong =
  'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 200 `max_new_tokens`';

describe('what a container returns in place of a reply', () => {
  const json = JSON.stringify;
  it.each([
    [
      'vllm',
      400,
      json({ error: { message: tooLong, type: 'BadRequestError', param: null, code: 400 } }),
      'CONTEXT_LENGTH_EXCEEDED',
      /^context_length_exceeded: .*4096.*5021/,
    ],
    [
      'older vllm',
      400,
      json({ object: 'error', message: tooLong, type: 'BadRequestError', code: 400 }),
      'CONTEXT_LENGTH_EXCEEDED',
      /4096.*5021/,
    ],
    [
      'newest vllm',
      400,
      json({
        error: {
          message:
            "This model's maximum context length is 2048 tokens. However, your request has 8 input tokens plus 2045 'max_tokens'.",
          code: 400,
        },
      }),
      'CONTEXT_LENGTH_EXCEEDED',
      /2048.*2053/,
    ],
    [
      'vllm on max_tokens',
      400,
      json({
        error: {
          message:
            "'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length is 4096 tokens and your request has 20 input tokens (5000 > 4096 - 20).",
          code: 400,
        },
      }),
      'CONTEXT_LENGTH_EXCEEDED',
      /4096.*5020/,
    ],
    ['lmi', 400, json({ error: tooLong, code: 400 }), 'CONTEXT_LENGTH_EXCEEDED', /4096.*5021/],
    [
      'lmi while parsing',
      424,
      json({ error: `Input parsing failed: ${tooLong}`, code: 424 }),
      'CONTEXT_LENGTH_EXCEEDED',
      /4096.*5021/,
    ],
    ['tgi', 422, json({ error: tgiTooLong, error_type: 'validation' }), 'CONTEXT_LENGTH_EXCEEDED', /4096.*4200/],
    [
      'tgi on the prompt',
      422,
      json({
        error: 'Input validation error: `inputs` must have less than 1024 tokens. Given: 2000',
        error_type: 'validation',
      }),
      'CONTEXT_LENGTH_EXCEEDED',
      /1024.*2000/,
    ],
    [
      'tei',
      413,
      json({
        error: 'Input validation error: `inputs` must have less than 512 tokens. Given: 600',
        error_type: 'Validation',
      }),
      'CONTEXT_LENGTH_EXCEEDED',
      /512.*600/,
    ],
    [
      'llama.cpp',
      400,
      json({
        error: {
          code: 400,
          message: 'the request exceeds the available context size',
          type: 'exceed_context_size_error',
        },
      }),
      'CONTEXT_LENGTH_EXCEEDED',
      /does not fit/,
    ],
    [
      'tgi on another rule',
      422,
      json({ error: 'Input validation error: `max_new_tokens` must be strictly positive', error_type: 'validation' }),
      'INVALID_FORMAT',
      /rejected the request/,
    ],
    [
      'vllm on another rule',
      400,
      json({ error: { message: 'top_k must be -1', code: 400 } }),
      'INVALID_FORMAT',
      /rejected the request/,
    ],
    [
      'tgi, a body it cannot read',
      422,
      'Failed to deserialize the JSON body into the target type',
      'INVALID_FORMAT',
      /rejected the request/,
    ],
    [
      'tei, too many texts',
      413,
      json({ error: 'batch size 33 > maximum allowed batch size 32', error_type: 'Validation' }),
      'INVALID_FORMAT',
      /rejected the request/,
    ],
    [
      'tgi, overloaded',
      429,
      json({ error: 'Model is overloaded', error_type: 'overloaded' }),
      'SERVICE_UNAVAILABLE',
      /busy/,
    ],
    ['tei, unhealthy', 503, json({ error: 'unhealthy', error_type: 'Unhealthy' }), 'SERVICE_UNAVAILABLE', /busy/],
    ['tei, its backend', 424, json({ error: 'Backend error: CUDA', error_type: 'Backend' }), 'MODEL_ERROR', /failed/],
    [
      'tgi while generating',
      424,
      json({ error: 'Request failed during generation: x', error_type: 'generation' }),
      'MODEL_ERROR',
      /failed/,
    ],
    [
      'vllm, a foreign model name',
      404,
      json({ error: { message: 'The model `x` does not exist.', code: 404 } }),
      'MODEL_ERROR',
      /failed/,
    ],
    ['a proxy', 502, '<html>Bad Gateway</html>', 'MODEL_ERROR', /failed/],
    ['nobody', 500, '', 'MODEL_ERROR', /failed/],
    [
      'nobody in time',
      0,
      'Your invocation timed out while waiting for a response from container primary.',
      'MODEL_TIMEOUT',
      /in time/,
    ],
  ] as const)('by %s, with status %i, is explained', (_, OriginalStatusCode, OriginalMessage, code, detail) => {
    const message = `Received client error (${OriginalStatusCode}) from primary with message "${OriginalMessage}"`;
    const cause = new ModelError({ message, OriginalStatusCode, OriginalMessage, $metadata: {} });
    const error = serviceErrorOf(cause, 'svc-1', false);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(detail);
    expect(error.retryAfterSeconds !== undefined).toBe(code === 'SERVICE_UNAVAILABLE');
  });

  it.each([
    [
      'a reset before the response',
      Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }),
      /connection .* broke/,
    ],
    ['a response that is cut', Object.assign(new Error('aborted'), { code: 'ECONNRESET' }), /connection .* broke/],
    ['a port that nothing listens on', Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), /could not be reached/],
    ['a response that is no HTTP', Object.assign(new Error('x'), { code: 'HPE_INVALID_CONSTANT' }), /invalid response/],
    ['a response that is no JSON', new SyntaxError('x'), /invalid response/],
  ])('is explained as it is, and not as busy: %s', (_, cause, detail) => {
    const error = serviceErrorOf(cause, 'svc-1', false);
    expect([error.code, error.retryAfterSeconds]).toEqual(['MODEL_ERROR', undefined]);
    expect(error.message).toMatch(detail);
    expect(error.message).not.toMatch(/busy|try again/);
  });

  it('leaves nothing of its words in the cause that is logged, but what kind of failure it was', () => {
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
