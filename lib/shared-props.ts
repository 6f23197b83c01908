import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Stage } from './stage.ts';

/** What every function of a stage is made with. */
export interface Surroundings {
  readonly stage: Stage;
  /** Scheme and host that people use: in mail links, and where sessions belong. */
  readonly publicOrigin: string;
  /** Where alarms go. */
  readonly alarms: ITopic;
}

/** Namespace of the metrics that functions write. */
export const metricsNamespace = ({ name }: Stage): string => `text-ai-${name}`;
