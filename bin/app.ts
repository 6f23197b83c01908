import { execFileSync } from 'node:child_process';
import { App } from 'aws-cdk-lib';
import { createPlatform } from '#lib/stacks/platform.ts';
import { stageNamed } from '#lib/stages.ts';
import { dashboardFolder, isDashboardBuilt } from '#local/dashboard-build.ts';

/** The CDK app. Context: `stage` (a name of lib/stages.ts), `buffered=true` where the front door cannot stream. */
const app = new App();

function context(name: string, fallback: string): string {
  const value: unknown = app.node.tryGetContext(name);
  return typeof value === 'string' ? value : fallback;
}

const stage = stageNamed(context('stage', 'live'));
if (!(await isDashboardBuilt())) execFileSync(process.execPath, ['bin/build.ts'], { stdio: 'inherit' });
createPlatform(app, { stage, buffered: context('buffered', 'false') === 'true', dashboard: dashboardFolder });
