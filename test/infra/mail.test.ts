import { expect, test } from 'vitest';
import { jobs, mailFeedback } from '#contract/jobs.ts';
import { functionId, ofType, synthesise } from './synth.ts';

const { api } = await synthesise();
const [[setId, set] = []] = ofType(api, 'AWS::SES::ConfigurationSet');

test('all emails use one configuration set, which has metrics and the SES suppression list', () => {
  expect(ofType(api, 'AWS::SES::ConfigurationSet')).toHaveLength(1);
  expect(set!.Properties).toMatchObject({
    ReputationOptions: { ReputationMetricsEnabled: true },
    SuppressionOptions: { SuppressedReasons: ['BOUNCE', 'COMPLAINT'] },
  });
});

test('SES publishes bounces and complaints to the default event bus, the only supported one', () => {
  const destinations = ofType(api, 'AWS::SES::ConfigurationSetEventDestination');
  expect(destinations).toHaveLength(1);
  expect(destinations[0]![1].Properties).toMatchObject({
    ConfigurationSetName: { Ref: setId },
    EventDestination: { Enabled: true, MatchingEventTypes: ['bounce', 'complaint'] },
  });
  expect(JSON.stringify(destinations)).toMatch(/":event-bus\/default"/);
});

test('only bounces and complaints of our own emails invoke the job', () => {
  const rules = ofType(api, 'AWS::Events::Rule').filter(([, rule]) => functionId(rule) === jobs.suppressAddress.id);
  expect(rules).toHaveLength(1);
  expect(rules[0]![1].Properties['EventPattern']).toEqual({
    source: ['aws.ses'],
    'detail-type': ['Email Bounced', 'Email Complaint Received'],
    detail: { mail: { tags: { 'ses:configuration-set': [{ Ref: setId }] } } },
  });
  expect(Object.keys(mailFeedback.detailTypes)).toEqual(['Bounce', 'Complaint']);
});
