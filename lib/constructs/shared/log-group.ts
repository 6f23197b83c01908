import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Stage } from '#lib/stage.ts';

/** A log group with the stage's retention, which outlives its stack. */
export const createLogGroup = (scope: Construct, id: string, { logRetentionDays }: Pick<Stage, 'logRetentionDays'>) =>
  new LogGroup(scope, id, {
    retention: logRetentionDays,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
