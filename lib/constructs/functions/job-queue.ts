import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

/** A queue encrypted by SQS and reached by TLS only. */
export class JobQueue extends Queue {
  constructor(scope: Construct, id: string, props: QueueProps) {
    super(scope, id, { ...props, encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true });
  }
}

/** Maximum retention of SQS. */
export const maxRetention = Duration.days(14);
