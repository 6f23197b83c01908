import { NestedStack } from 'aws-cdk-lib';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct, IDependable } from 'constructs';
import { DashboardFiles } from '#lib/constructs/edge/dashboard-files.ts';
import type { Stage } from '#lib/stage.ts';

export interface PagesStackProps {
  readonly stage: Stage;
  /** Folder with the dashboard's build. */
  readonly dashboard: string;
  readonly bucket: IBucket;
  /** The deployment's address. */
  readonly origin: string;
  /** Resources that must be deployed, including their rollouts, before the dashboard is published. */
  readonly after: readonly IDependable[];
}

/**
 * Files of dashboard and API reference. Nested and separate from the edge, so that they are deployed after everything
 * that they call.
 */
export class PagesStack extends NestedStack {
  constructor(scope: Construct, id: string, { stage, dashboard, bucket, origin, after }: PagesStackProps) {
    super(scope, id, { description: 'Text AI platform: files of dashboard and API reference' });
    const { googleClientId, planTable, salesEmail } = stage;
    const payments = stage.payments !== null;
    const config = { googleClientId, local: false, demoSpeechFormats: null, planTable, salesEmail, payments };
    new DashboardFiles(this, 'Files', { dashboard, origin, config, bucket });
    this.nestedStackResource?.node.addDependency(...after);
  }
}
