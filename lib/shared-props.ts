import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Stage } from './stage.ts';

/** Props that every function of a stage shares. */
export interface SharedProps {
  readonly stage: Stage;
  /** Scheme and host of the dashboard, for links in mails and for session cookies. */
  readonly publicOrigin: string;
  /** Topic that alarms notify. */
  readonly alarms: ITopic;
}

/** Namespace of the metrics that functions write. */
export const metricsNamespace = ({ name }: Stage): string => `text-ai-${name}`;

/** Header of CloudFront with the country of the caller's network (AWS "Add CloudFront request headers"). */
export const countryHeader = 'CloudFront-Viewer-Country';

/**
 * Casts a CDK construct to an interface that it implements. CDK compiles without `exactOptionalPropertyTypes`: its classes
 * declare `T | undefined` where its interfaces declare optional properties, so the compiler rejects the assignment.
 */
export function cast<Interface>(construct: Interface | object): Interface {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- see above
  return construct as Interface;
}
