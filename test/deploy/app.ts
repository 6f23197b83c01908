#!/usr/bin/env node
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnMetricFilter } from 'aws-cdk-lib/aws-logs';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { createPlatform } from '#lib/stacks/platform.ts';
import { parseStage } from '#lib/stages.ts';
import { plainStage } from '#test/stages/plain-stage.ts';

export interface Variant {
  /** Settings of the stage `plain`. */
  readonly plain?: { readonly planTable?: string; readonly existingTables?: object };
  /** Adds the stage `spare`. If `broken`, a version of one of its functions cannot start. */
  readonly spare?: 'complete' | 'broken' | undefined;
}

/**
 * Writes the templates of stages for one account of a local AWS: `app.ts <folder> <JSON of variants by name>`. Each
 * variant has a folder of its name. CDK bundles equal functions of one folder once, so all variants are synthesised in
 * the same folder and then copied.
 */
const [folder = '', variants = ''] = process.argv.slice(2);
const { context } = JSON.parse(readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8'));
const env = { account: '000000000000', region: 'us-east-1' };

for (const [name, variant] of Object.entries<Variant>(JSON.parse(variants))) {
  const app = new App({ context, outdir: join(folder, 'synthesis') });
  build(app, variant);
  app.synth();
  cpSync(app.outdir, join(folder, name), { recursive: true });
}

function build(app: App, { plain, spare }: Variant): void {
  const stages = [{ ...plainStage, env, ...plain }, ...(spare ? [{ ...plainStage, name: 'spare', env }] : [])];
  for (const stage of stages) createPlatform(app, { stage: parseStage(stage), buffered: true, dashboard: null });

  if (spare === 'broken') {
    const { id } = accountRoutes.me;
    const path = `text-ai-spare-api/accounts/${id}/Function/Resource`;
    const broken = app.node.findAll().find((node) => node.node.path === path);
    if (!(broken instanceof CfnFunction)) throw new Error(`the stage spare has no function ${id}`);
    broken.handler = 'index.missing';
  }

  // The local AWS has no metric filters, but still creates the alarms on their metrics.
  for (const node of app.node.findAll())
    if (node instanceof CfnMetricFilter) node.node.scope?.node.tryRemoveChild(node.node.id);
}
