import './deployed-offer.ts';
import { execFileSync } from 'node:child_process';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { checkDeployable } from '#lib/deployable.ts';
import { ReviewedRules } from '#lib/nag-rules.ts';
import { createPipeline } from '#lib/stacks/pipeline-stack.ts';
import { createPlatform } from '#lib/stacks/platform.ts';
import { pipelineSettings, stageNamed } from '#lib/stages.ts';
import { dashboardFolder, isDashboardBuilt } from '#local/pages/dashboard.ts';

/**
 * The CDK app. Context values: `stage` (a name in lib/stages.ts); `buffered=true` if the front door cannot stream;
 * `draft=true` to synthesize templates with placeholder settings, which are not deployed.
 */
const app = new App();

function context(name: string, fallback: string): string {
  const value: unknown = app.node.tryGetContext(name);
  return typeof value === 'string' ? value : fallback;
}

if (!(await isDashboardBuilt())) execFileSync(process.execPath, ['bin/build.ts'], { stdio: 'inherit' });
const dashboard = dashboardFolder;
const isDraft = context('draft', 'false') === 'true';
const namedStage = (name: string) => (isDraft ? stageNamed(name) : checkDeployable(stageNamed(name)));
const stage = namedStage(context('stage', 'live'));
createPlatform(app, { stage, buffered: context('buffered', 'false') === 'true', dashboard });
createPipeline(app, { settings: pipelineSettings(), stageNamed: namedStage, dashboard });

const packs = [new AwsSolutionsChecks(app), new ServerlessChecks(app)];
Validations.of(app).addPlugins(...packs.map((pack) => new ReviewedRules(pack)));
