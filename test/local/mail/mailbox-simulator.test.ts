import { describe, expect, test } from 'vitest';
import { arrives, feedbackOn } from '#local/mail/ses.ts';

const accepted = (...destination: string[]) => ({
  messageId: 'message-1',
  source: 'no-reply@example.com',
  destination,
  configurationSet: 'local',
  sentAt: '2026-11-21T09:00:00.000Z',
});

describe("SES's mailbox simulator", () => {
  test('bounces as SES reports to EventBridge', () => {
    expect(feedbackOn(accepted('Ada <bounce+a.b@simulator.amazonses.com>'))).toEqual([
      {
        version: '0',
        id: expect.any(String),
        'detail-type': 'Email Bounced',
        source: 'aws.ses',
        account: '000000000000',
        time: '2026-11-21T09:00:00.000Z',
        region: 'us-east-1',
        resources: ['arn:aws:ses:us-east-1:000000000000:configuration-set/local'],
        detail: {
          eventType: 'Bounce',
          bounce: {
            bounceType: 'Permanent',
            bounceSubType: 'General',
            bouncedRecipients: [
              {
                emailAddress: 'bounce+a.b@simulator.amazonses.com',
                action: 'failed',
                status: '5.1.1',
                diagnosticCode: 'smtp; 550 5.1.1 user unknown',
              },
            ],
            timestamp: '2026-11-21T09:00:00.000Z',
            feedbackId: expect.any(String),
          },
          mail: {
            messageId: 'message-1',
            source: 'no-reply@example.com',
            destination: ['Ada <bounce+a.b@simulator.amazonses.com>'],
            timestamp: '2026-11-21T09:00:00.000Z',
            sendingAccountId: '000000000000',
            tags: { 'ses:configuration-set': ['local'] },
          },
        },
      },
    ]);
  });

  test('reports each recipient by itself, and nothing of those who just take the mail', () => {
    const events = feedbackOn(
      accepted('complaint@simulator.amazonses.com', 'success@simulator.amazonses.com', 'ooto@simulator.amazonses.com'),
    );
    expect(events).toMatchObject([
      {
        'detail-type': 'Email Complaint Received',
        detail: { complaint: { complainedRecipients: [{ emailAddress: 'complaint@simulator.amazonses.com' }] } },
      },
      { 'detail-type': 'Email Bounced', detail: { bounce: { bounceType: 'Transient' } } },
    ]);
  });

  test.each([
    ['bounce@simulator.amazonses.com', false],
    ['Bounce+Label@Simulator.AmazonSES.com', false],
    ['suppressionlist@simulator.amazonses.com', false],
    ['complaint+x@simulator.amazonses.com', true],
    ['success@simulator.amazonses.com', true],
    ['bouncer@simulator.amazonses.com', true],
    ['bounce@simulator.amazonses.com.example.org', true],
    ['bounce@example.com', true],
  ])('a mail to %s arrives: %s', (address, expected) => {
    expect(arrives(address)).toBe(expected);
    if (expected && !address.startsWith('complaint')) expect(feedbackOn(accepted(address))).toEqual([]);
  });
});
