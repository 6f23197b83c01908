import { EventType } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { expect, it } from 'vitest';
import { messageStatuses } from '#contract/messages/messages.ts';
import { failures } from '#contract/messages/names.ts';
import { isForward } from '#domain/messages/message.ts';
import { receiptIn } from '#domain/messages/receipts.ts';

const context = { account: '42', message: 'msg_0000000abcdefghijklm' };
const event = (eventType: string, about: object = {}) => ({ detail: { eventType, isFinal: true, context, ...about } });
const statusOf = (eventType: string, about?: object) => receiptIn(event(eventType, about))?.status;

it('every event type of a single message has a status', () => {
  const about = Object.values(EventType).filter((type) => /^(TEXT|VOICE)_/.test(type));
  const without = about.filter((type) => statusOf(type) === undefined);
  expect(without.toSorted()).toEqual(['TEXT_ALL', 'VOICE_ALL']);
  expect(about.filter((type) => statusOf(type) === 'failed').toSorted()).toEqual([
    'TEXT_INVALID',
    'TEXT_INVALID_MESSAGE',
    'TEXT_PROTECT_BLOCKED',
    'VOICE_FAILED',
  ]);
});

it('every event type of a failure has a reason, and no other type has one', () => {
  const reports = Object.values(EventType).flatMap((type) => receiptIn(event(type)) ?? []);
  for (const { status, failure } of reports)
    expect([status, failure !== undefined]).toEqual([status, status === 'undelivered' || status === 'failed']);
  const reasonOf = (type: string) => receiptIn(event(type))?.failure;
  expect(['TEXT_SPAM', 'TEXT_UNREACHABLE', 'TEXT_INVALID', 'VOICE_NO_ANSWER'].map(reasonOf)).toEqual([
    'spam',
    'unreachable',
    'number_invalid',
    'no_answer',
  ]);
  expect(receiptIn(event('TEXT_SPAM', { isFinal: false }))).not.toHaveProperty('failure');
  const ofReceipts = new Set(reports.flatMap(({ failure }) => failure ?? []));
  const ofRefusals = ['opted_out', 'number_blocked', 'country_blocked', 'price', 'throttled'];
  expect([...ofReceipts, ...ofRefusals].toSorted()).toEqual([...failures].toSorted());
});

it('only a final event or a delivery changes the status of a message', () => {
  const early = { isFinal: false };
  expect(
    ['TEXT_UNREACHABLE', 'TEXT_INVALID', 'TEXT_UNKNOWN', 'TEXT_DELIVERED'].map((type) => statusOf(type, early)),
  ).toEqual(['sent', 'sent', 'sent', 'delivered']);
});

it('events of another form are ignored, and message ids are read unchanged', () => {
  const carrierId = 'ed23196c-75ce-4727-93ee-7bf72b64998f';
  const bad = [undefined, { account: 'bar' }, { ...context, account: '-1' }, { ...context, message: 'msg_#' }];
  const others = [
    null,
    {},
    { detail: {} },
    ...bad.map((other) => event('TEXT_DELIVERED', { context: other })),
    ...[7, '', 'a b', 'a\n', 'x'.repeat(129)].map((messageId) =>
      event('TEXT_DELIVERED', { context: undefined, messageId }),
    ),
    event('toString', { messageId: carrierId }),
    event('MEDIA_DELIVERED'),
  ];
  for (const other of others) expect(receiptIn(other)).toBeUndefined();
  const named = { messageId: carrierId };
  expect(receiptIn(event('TEXT_DELIVERED', named))).toEqual({
    accountId: 42,
    id: context.message,
    status: 'delivered',
  });
  for (const other of bad)
    expect(receiptIn(event('TEXT_INVALID', { ...named, context: other }))).toEqual({
      carrierId,
      status: 'failed',
      failure: 'number_invalid',
    });
});

it('a status only moves forward', () => {
  for (const [index, from] of messageStatuses.entries()) {
    const reached = messageStatuses.filter((to) => isForward(from, to));
    expect(reached).toEqual(index < 3 ? messageStatuses.slice(index + 1) : []);
  }
});
