import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type IPolicyValidationContext, Stack } from 'aws-cdk-lib';
import { AwsSolutionsChecks, type NagPack, ServerlessChecks } from 'cdk-nag';
import { expect, test } from 'vitest';
import { acknowledgements, covers, isAcknowledged, ReviewedRules } from '#lib/nag-rules.ts';
import { createPipeline } from '#lib/stacks/pipeline-stack.ts';
import { createPlatform } from '#lib/stacks/platform.ts';
import { pipelineSettings, stageNamed } from '#lib/stages.ts';
import { testFolder } from '#test/folder.ts';
import { fullStage as stage } from '#test/stages/full-stage.ts';
import { newApp } from './stacks.ts';

const dashboard = await testFolder();
for (const folder of ['assets', 'brotli']) mkdirSync(join(dashboard, folder));
for (const file of ['index.html', 'assets/a.js', 'brotli/a.js']) writeFileSync(join(dashboard, file), 'x');

/** All deployable stacks: a stage with every option, and the pipeline. */
const app = newApp();
const pipeline = {
  repository: 'example/text-ai',
  branch: 'main',
  connectionArn: 'arn:aws:codeconnections:us-east-1:111111111111:connection/00000000-0000-0000-0000-000000000000',
  staging: 'staging',
  production: 'live',
};
createPlatform(app, { stage, buffered: false, dashboard });
createPipeline(app, { settings: pipelineSettings(pipeline), stageNamed, dashboard });
app.synth();
const packs: NagPack[] = [new AwsSolutionsChecks(app), new ServerlessChecks(app)];

const context = { appConstruct: app, templatePaths: [] } as unknown as IPolicyValidationContext;
const findings = packs.flatMap((pack) =>
  pack
    .validate(context)
    .violations.flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath = '' }) => ({ ruleName, constructPath })),
    ),
);

test("every finding of cdk-nag's AwsSolutions and Serverless packs has a reason", () => {
  expect(findings.length).toBeGreaterThan(100);
  expect(findings.filter(({ ruleName, constructPath }) => !isAcknowledged(ruleName, constructPath))).toEqual([]);
  for (const pack of packs)
    expect(new ReviewedRules(pack).validate(context)).toMatchObject({ success: true, violations: [] });
});

test.each(acknowledgements)(
  'every reason belongs to a finding and is a sentence: $rules at $at',
  ({ rules, at, reason }) => {
    for (const rule of rules) {
      const one = { rules: [rule], at, reason };
      expect(findings.some(({ ruleName, constructPath }) => covers(one, ruleName, constructPath))).toBe(true);
    }
    expect(reason).toMatch(/^[A-Z].{20,}\.$/);
  },
);

test('a finding without a reason stops the synthesis', () => {
  const finding = { ruleName: 'AwsSolutions-S10', violatingResources: [{ constructPath: 'a/b/Resource' }] };
  const pack = { name: 'pack', validate: () => ({ success: false, violations: [finding] }) } as unknown as NagPack;
  expect(new ReviewedRules(pack).validate(context)).toMatchObject({ success: false, violations: [finding] });
});

test('a pipeline is created only with settings, so that cdk deploy --all deploys no placeholders', () => {
  const bare = newApp();
  createPipeline(bare, { settings: pipelineSettings(), stageNamed, dashboard: null });
  expect(bare.node.findAll().filter((node) => node instanceof Stack)).toEqual([]);
  expect(app.node.tryFindChild('text-ai-pipeline')).toBeInstanceOf(Stack);
});

test('a pipeline with an invalid setting is refused, and the error names the setting', () => {
  expect(() => pipelineSettings({ ...pipeline, connectionArn: 'arn:aws:iam::1:role/x' })).toThrow(
    /the pipeline cannot be deployed: connectionArn must be the ARN of a connection/,
  );
});
