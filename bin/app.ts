import { App } from 'aws-cdk-lib';
import { createPlatform } from '#lib/stacks/platform.ts';
import { stageNamed } from '#lib/stages.ts';

/** The CDK app. Context: `stage` (a name of lib/stages.ts), `buffered=true` where the front door cannot stream. */
const app = new App();

function context(name: string, fallback: string): string {
  const value: unknown = app.node.tryGetContext(name);
  return typeof value === 'string' ? value : fallback;
}

createPlatform(app, { stage: stageNamed(context('stage', 'live')), buffered: context('buffered', 'false') === 'true' });
