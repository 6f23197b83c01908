import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Stage } from '#lib/stage.ts';

/** A log group with the stage's retention, deleted with its stack. Set `name` if AWS requires one. */
export const createLogGroup = (
  scope: Construct,
  id: string,
  { logRetentionDays }: Pick<Stage, 'logRetentionDays'>,
  name?: string,
) =>
  new LogGroup(scope, id, {
    retention: logRetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
    ...(name !== undefined && { logGroupName: name }),
  });
