import type { EventPattern } from 'aws-cdk-lib/aws-events';
import { CfnConfigurationSet, CfnProtectConfiguration } from 'aws-cdk-lib/aws-smsvoice';
import { Construct } from 'constructs';
import { messageReceipts } from '#contract/jobs.ts';
import type { Stage } from '#lib/stage.ts';

/**
 * Matches events on all messages of the AWS account; the job ignores messages that are not ours. Events reach the
 * default bus without an event destination.
 */
export const receiptPattern: EventPattern = {
  source: [messageReceipts.source],
  detailType: Object.values(messageReceipts.detailTypes),
};

/** What AWS End User Messaging sends our messages with: a configuration set, and a protect configuration, on which operators block more. */
export class Messaging extends Construct {
  readonly configurationSetName: string;
  readonly protectConfigurationId: string;

  constructor(scope: Construct, id: string, { messages: { countries } }: Pick<Stage, 'messages'>) {
    super(scope, id);
    const rules = countries.map((countryCode) => ({ countryCode, protectStatus: 'ALLOW' }));
    const protect = new CfnProtectConfiguration(this, 'Protect', {
      countryRuleSet: { sms: rules, voice: rules },
    });
    this.protectConfigurationId = protect.attrProtectConfigurationId;
    const configurationSet = new CfnConfigurationSet(this, 'ConfigurationSet', {
      protectConfigurationId: this.protectConfigurationId,
    });
    this.configurationSetName = configurationSet.ref;
  }
}
