import { EventBus, type EventPattern } from 'aws-cdk-lib/aws-events';
import { ConfigurationSet, EmailSendingEvent, EventDestination, SuppressionReasons } from 'aws-cdk-lib/aws-ses';
import { CfnConfigurationSet, CfnProtectConfiguration } from 'aws-cdk-lib/aws-smsvoice';
import { Construct } from 'constructs';
import { mailFeedback, messageReceipts } from '#contract/jobs.ts';
import type { Stage } from '#lib/stage.ts';

/** Configuration set of our emails: reputation metrics, and bounces and complaints as events. */
export class Mail extends Construct {
  readonly configurationSetName: string;
  /** Matches bounces and complaints of emails sent with it. */
  readonly feedback: EventPattern;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const configurationSet = new ConfigurationSet(this, 'ConfigurationSet', {
      reputationMetrics: true,
      // SES's own suppression list also covers emails that are sent before an event arrives.
      suppressionReasons: SuppressionReasons.BOUNCES_AND_COMPLAINTS,
    });
    // SES publishes to the default bus only.
    const bus = EventBus.fromEventBusName(this, 'DefaultBus', 'default');
    configurationSet.addEventDestination('Feedback', {
      destination: EventDestination.eventBus(bus),
      events: [EmailSendingEvent.BOUNCE, EmailSendingEvent.COMPLAINT],
    });
    this.configurationSetName = configurationSet.configurationSetName;
    this.feedback = {
      source: [mailFeedback.source],
      detailType: Object.values(mailFeedback.detailTypes),
      detail: { mail: { tags: { 'ses:configuration-set': [this.configurationSetName] } } },
    };
  }
}

/**
 * Matches events on all messages of the AWS account; the job ignores messages that are not ours. Events reach the
 * default bus without an event destination.
 */
export const receiptPattern: EventPattern = {
  source: [messageReceipts.source],
  detailType: Object.values(messageReceipts.detailTypes),
};

/**
 * Resources of AWS End User Messaging for sending: a configuration set, and a protect configuration, in which operators
 * can block more countries.
 */
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
