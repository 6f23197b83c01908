import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { Stage } from './stage.ts';

/** Props that every function of a stage shares. */
export interface SharedProps {
  readonly stage: Stage;
  /** Origin of the dashboard, for email links and session cookies. */
  readonly publicOrigin: string;
  /** Topic for alarms. */
  readonly alarms: ITopic;
}

/** Namespace of the functions' metrics. */
export const metricsNamespace = ({ name }: Stage): string => `text-ai-${name}`;

/** Tag of everything that a stage is charged for. Its budget counts it. */
export const stageTag = ({ name }: Stage) => ({ key: 'text-ai-stage', value: name }) as const;

/** The session cookie of deployed stages. */
export const sessionCookie = '__Host-session';

/** CloudFront's header with the caller's country (AWS "Add CloudFront request headers"). */
export const countryHeader = 'CloudFront-Viewer-Country';

/**
 * Casts a CDK construct to an interface that it implements. CDK compiles without `exactOptionalPropertyTypes`: its
 * classes declare `T | undefined` where its interfaces declare optional properties, so the compiler rejects the
 * assignment.
 */
export function cast<Interface>(construct: Interface | object): Interface {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- see above
  return construct as Interface;
}

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
