import { VoiceId } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { expect, it } from 'vitest';
import { callVoices } from '#contract/messages/messages.ts';
import { handOverOf } from '#gateways/messages/carrier.ts';

const response = (status: number, name: string, Reason?: string) =>
  Object.assign(new Error('+14155550100 and hello'), { name, Reason, $metadata: { httpStatusCode: status } });
const broken = (code: string) => Object.assign(new Error('+14155550100 and hello'), { code });

const cases: [error: unknown, expected: string][] = [
  [response(400, 'ConflictException', 'DESTINATION_PHONE_NUMBER_OPTED_OUT'), 'refused: opted_out'],
  [response(400, 'ConflictException', 'DESTINATION_PHONE_NUMBER_NOT_VERIFIED'), 'refused: number_blocked'],
  [
    response(400, 'ConflictException', 'DESTINATION_COUNTRY_BLOCKED_BY_PROTECT_CONFIGURATION'),
    'refused: country_blocked',
  ],
  [response(400, 'ValidationException', 'DESTINATION_COUNTRY_BLOCKED'), 'refused: country_blocked'],
  [response(400, 'ValidationException', 'PRICE_OVER_THRESHOLD'), 'refused: price'],
  [response(400, 'ValidationException', 'CANNOT_PARSE'), 'refused: carrier'],
  [response(400, 'ConflictException', 'NO_ORIGINATION_IDENTITIES_FOUND'), 'refused: carrier'],
  [response(400, 'ConflictException', 'toString'), 'refused: carrier'],
  [response(402, 'ServiceQuotaExceededException', 'MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT'), 'refused: carrier'],
  [response(400, 'AccessDeniedException'), 'refused: carrier'],
  [response(400, 'ThrottlingException'), 'refused: throttled'],
  [response(500, 'InternalServerException'), 'refused: carrier'],
  [response(504, 'GatewayTimeout'), 'unknown'],
  [response(200, 'SyntaxError'), 'unknown'],
  [broken('ECONNREFUSED'), 'refused: carrier'],
  [broken('ENOTFOUND'), 'refused: carrier'],
  [broken('ECONNRESET'), 'unknown'],
  [Object.assign(new Error('slow'), { name: 'TimeoutError', code: 'ETIMEDOUT' }), 'unknown'],
  [Object.assign(new Error('slow'), { name: 'AbortError' }), 'unknown'],
  [Object.assign(new Error('not connected'), { name: 'TimeoutError' }), 'refused: carrier'],
  ['nothing', 'unknown'],
];

it('an error response is a refusal, and a lost response is unknown unless no connection was made', () => {
  for (const [error, expected] of cases) {
    const result = handOverOf(error);
    expect([error, result.is === 'refused' ? `refused: ${result.why}` : result.is]).toEqual([error, expected]);
  }
});

it('the cause of a failure contains neither number nor text', () => {
  for (const [error] of cases) expect(String(Object(handOverOf(error)).cause)).not.toMatch(/\+1415|hello/);
});

it('the supported voices are those of the AWS API', () => {
  expect(callVoices.map((voice) => voice.toUpperCase())).toEqual(Object.values(VoiceId).toSorted());
});
