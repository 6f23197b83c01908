import { describe, expect, it } from 'vitest';
import { formatNameOf, responseFormats } from '#contract/http/format.ts';
import { type ErrorCode } from '#contract/shared/errors.ts';

describe('the format of a path', () => {
  it.each([
    ['/v1/chat/completions', 'envelope'],
    ['/openaix', 'envelope'],
    ['/openai/v1/chat/completions', 'openai'],
    ['/openai/v1/responsesx', 'openai'],
    ['/openai/v1/responses', 'responses'],
    ['/openai/v1/responses/resp_1/input_items', 'responses'],
    ['/anthropic', 'anthropic'],
    ['/anthropic/v1/messages', 'anthropic'],
  ])('%s is %s', (path, format) => {
    expect(formatNameOf(path)).toBe(format);
  });
});

describe("Anthropic's format", () => {
  it.each<[ErrorCode, string]>([
    ['INVALID_FORMAT', 'invalid_request_error'],
    ['INVALID_API_KEY', 'authentication_error'],
    ['INSUFFICIENT_CREDITS', 'billing_error'],
    ['KEY_LIMIT_EXCEEDED', 'permission_error'],
    ['NOT_FOUND', 'not_found_error'],
    ['PAYLOAD_TOO_LARGE', 'request_too_large'],
    ['RATE_LIMIT_EXCEEDED', 'rate_limit_error'],
    ['MODEL_ERROR', 'api_error'],
    ['SERVICE_UNAVAILABLE', 'overloaded_error'],
    ['MODEL_TIMEOUT', 'timeout_error'],
  ])('maps %s to %s', (code, type) => {
    expect(responseFormats.anthropic.error({ code, detail: 'Why.' })).toEqual({
      type: 'error',
      error: { type, message: 'Why.' },
    });
  });

  it('names each event in the stream, and ends with message_stop', () => {
    const { anthropic } = responseFormats;
    expect(anthropic.chunkEvent({ type: 'ping' })).toBe('event: ping\ndata: {"type":"ping"}\n\n');
    expect(anthropic.endEvent()).toBe('event: message_stop\ndata: {"type":"message_stop"}\n\n');
  });
});

it('a failed stream of the Responses API ends with an error event and [DONE]', () => {
  expect(responseFormats.responses.errorEvent({ code: 'MODEL_ERROR', detail: 'Why.' })).toBe(
    'event: error\ndata: {"message":"Why.","type":"error","param":null,"code":"model_error"}\n\ndata: [DONE]\n\n',
  );
});
