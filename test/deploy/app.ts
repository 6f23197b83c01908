import { App } from 'aws-cdk-lib';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnMetricFilter } from 'aws-cdk-lib/aws-logs';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { createPlatform } from '#lib/stacks/platform.ts';
import { parseStage } from '#lib/stages.ts';
import { plainStage } from '#test/stages/plain-stage.ts';

/**
 * Two stages for one account of a local AWS. Context for an update: `planTable` and `existingTables` (JSON) of the
 * stage `plain`. With `broken`, the stage `spare` gets a version of one function that cannot start.
 */
const app = new App();
const context = (name: string): unknown => app.node.tryGetContext(name);
const env = { account: '000000000000', region: 'us-east-1' };
const planTable = context('planTable') ?? plainStage.planTable;
const restored = context('existingTables');
const existingTables: unknown = typeof restored === 'string' ? JSON.parse(restored) : {};
const stages = [
  { ...plainStage, env, planTable, existingTables },
  { ...plainStage, name: 'spare', env },
];
for (const stage of stages) createPlatform(app, { stage: parseStage(stage), buffered: true, dashboard: null });

if (context('broken')) {
  const { id } = accountRoutes.me;
  const path = `text-ai-spare-api/accounts/${id}/Function/Resource`;
  const broken = app.node.findAll().find((node) => node.node.path === path);
  if (!(broken instanceof CfnFunction)) throw new Error(`the stage spare has no function ${id}`);
  broken.handler = 'index.missing';
}

// The local AWS has no metric filters, but still creates the alarms on their metrics.
for (const node of app.node.findAll())
  if (node instanceof CfnMetricFilter) node.node.scope?.node.tryRemoveChild(node.node.id);
