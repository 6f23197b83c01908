import { EventBus, type EventPattern } from 'aws-cdk-lib/aws-events';
import { ConfigurationSet, EmailSendingEvent, EventDestination, SuppressionReasons } from 'aws-cdk-lib/aws-ses';
import { Construct } from 'constructs';
import { mailFeedback } from '#contract/jobs.ts';

/** The configuration set of our mails: reputation metrics, and bounces and complaints as events. */
export class Mail extends Construct {
  readonly configurationSetName: string;
  /** Matches bounces and complaints of mails sent through it. */
  readonly feedback: EventPattern;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const configurationSet = new ConfigurationSet(this, 'ConfigurationSet', {
      reputationMetrics: true,
      // SES's own suppression list also covers mails that were sent before an event arrived.
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
