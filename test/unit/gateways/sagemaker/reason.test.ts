import { describe, expect, it } from 'vitest';
import { reasonIn } from '#gateways/sagemaker/errors.ts';

describe('the reason of a rejected request', () => {
  it.each([
    ['dimensions 7 are not supported', 'dimensions 7 are not supported.'],
    ['top_p must be in (0, 1], got 0.', 'top_p must be in (0, 1], got 0.'],
    ['temperature must be non-negative, got -1.0. Try again.', 'temperature must be non-negative, got -1.0.'],
    ['Input validation error: `temperature` must be strictly positive', '`temperature` must be strictly positive.'],
    [
      'Invalid value for `messages[0].content`: must be a string.',
      'Invalid value for `messages[0].content`: must be a string.',
    ],
    ['Model "large" does not support it, sorry.', 'Model does not support it, sorry.'],
    ['The model `acme-internal` does not exist.', 'The model does not exist.'],
    ['The model returned the following errors: it is too much', 'it is too much.'],
    [
      'The tool weather is not defined, see https://docs.acme.internal/a?b=c for help',
      'The tool weather is not defined.',
    ],
  ])('of %j is %j', (message, reason) => {
    expect(reasonIn(message)).toBe(reason);
  });

  it.each([
    'Connection to http://10.0.0.1:8000/v1 failed',
    'gpu-07.acme.internal rejected it',
    'Error in /opt/ml/model/config.json at line 5',
    'C:\\models\\large failed here',
    'Key sk-abc123DEF456 is invalid',
    'Bearer eyJhbGciOiJIUzI1NiJ9.e30.x is wrong',
    'arn:aws:bedrock:us-east-1:111111111111:imported-model/abc is wrong',
    'ModelRunnerError raised in EngineCore',
    'admin@acme.example must be told',
    '[{"type":"value_error","loc":["body"]}]',
    '<html><body>502</body></html>',
    '{"error":"x"}',
    '',
    'a',
    '日本語のエラー です',
    'x'.repeat(5000),
  ])('of %j is unknown', (message) => {
    expect(reasonIn(message)).toBeUndefined();
  });

  it('has no control characters, text-direction characters or line breaks, and at most 201 characters', () => {
    const reason = reasonIn(`this\u0000 is\r\n\u202e reversed\u001b and\u2028 ${'very '.repeat(1000)} long`);
    expect(reason).toMatch(/^this is reversed and (?:very )+very…$/);
    expect(reason!.length).toBeLessThanOrEqual(201);
  });

  it('is found in linear time', () => {
    const start = performance.now();
    for (const text of [
      'a.'.repeat(500_000),
      '"'.repeat(1_000_000),
      'a_'.repeat(500_000),
      'messages[0]'.repeat(90_000),
    ])
      reasonIn(text);
    expect(performance.now() - start).toBeLessThan(500);
  });
});
