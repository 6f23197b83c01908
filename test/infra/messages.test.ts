import { expect, test } from 'vitest';
import { jobs } from '#contract/jobs.ts';
import { fullStage } from '#test/stages/full-stage.ts';
import { otherStage } from '#test/stages/other-stage.ts';
import { functionId, ofType, synthesise } from './synth.ts';
import { type Whole } from './whole.ts';

const { api } = await synthesise({ stage: otherStage, buffered: true });

test("all messages use one configuration set, and a protect configuration that permits the stage's countries", () => {
  const [[protectId, protect] = []] = ofType(api, 'AWS::SMSVOICE::ProtectConfiguration');
  const rules = ['DE', 'US'].map((CountryCode) => ({ CountryCode, ProtectStatus: 'ALLOW' }));
  expect(protect!.Properties['CountryRuleSet']).toEqual({ SMS: rules, VOICE: rules });
  const sets = ofType(api, 'AWS::SMSVOICE::ConfigurationSet');
  expect(sets.map(([, { Properties }]) => Properties)).toMatchObject([
    { ProtectConfigurationId: { 'Fn::GetAtt': [protectId, 'ProtectConfigurationId'] } },
  ]);
});

test('a stage without countries has no messaging resources, and its function has no permission to send', async () => {
  const { api: without } = await synthesise();
  const types = Object.values(without.resources).map(({ Type }) => Type);
  expect(types.filter((type) => type.startsWith('AWS::SMSVOICE::'))).toEqual([]);
  expect(JSON.stringify(ofType(without, 'AWS::IAM::Policy'))).not.toContain('sms-voice:');
});

test('the receipts job is invoked by all message events, with or without our context', () => {
  const rules = ofType(api, 'AWS::Events::Rule').filter(([, rule]) => functionId(rule) === jobs.recordReceipts.id);
  expect(rules.map(([, { Properties }]) => Properties['EventPattern'])).toEqual([
    {
      source: ['aws.sms-voice'],
      'detail-type': ['Text Message Delivery Status Updated', 'Voice Message Delivery Status Updated'],
    },
  ]);
});

test('a stage without an origination number permits no voice calls', async () => {
  const actions = (stack: Whole) => JSON.stringify(ofType(stack, 'AWS::IAM::Policy')).match(/sms-voice:Send\w+/g);
  expect(actions(api)).toEqual(['sms-voice:SendTextMessage', 'sms-voice:SendVoiceMessage']);
  expect(fullStage.messages.origination).toBeNull();
  expect(actions((await synthesise({ stage: fullStage })).api)).toEqual(['sms-voice:SendTextMessage']);
});
