import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { createPlatform } from '#lib/stacks/platform.ts';
import { type Stage, stageNamed } from '#lib/stages.ts';

export interface Resource {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly Metadata: Record<string, unknown>;
}

export type Resources = Readonly<Record<string, Resource>>;

const { context } = JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'));

export interface Synthesis {
  readonly buffered?: boolean;
  readonly stage?: Stage;
  /** Checks the templates against CloudFormation's rules, which takes most of the time. */
  readonly validate?: boolean;
}

/** The templates as `cdk synth` makes them, without building any code. */
export function synthesise({ buffered = false, stage = stageNamed('live'), validate = false }: Synthesis = {}) {
  process.env['CDK_VALIDATION'] = String(validate);
  const app = new App({
    context: { ...context, 'aws:cdk:bundling-stacks': [], 'aws:cdk:enable-path-metadata': true },
  });
  const { data, api } = createPlatform(app, { stage, buffered });
  return { data: Template.fromStack(data), api: Template.fromStack(api) };
}

export const resourcesOf = (template: Template): Resources => template.toJSON()['Resources'];

export const ofType = (template: Template, type: string): [string, Resource][] =>
  Object.entries(resourcesOf(template)).filter(([, resource]) => resource.Type === type);

/** Where a resource stands in the construct tree, below its stack: `create-key/Function`. */
export function pathOf(resource: Resource): string {
  const path = String(resource.Metadata['aws:cdk:path']).split('/').slice(1);
  return (path.at(-1) === 'Resource' ? path.slice(0, -1) : path).join('/');
}

/** A function's id: that of its route or job. */
export const functionId = (resource: Resource) => pathOf(resource).split('/')[0] ?? '';
