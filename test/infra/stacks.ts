import { readFileSync } from 'node:fs';
import { App, NestedStack, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { createPlatform } from '#lib/stacks/platform.ts';
import { parseStage, stageNamed } from '#lib/stages.ts';
import type { Synthesis, Synthesised } from './synth.ts';
import { joined, type OwnTemplate, type Whole } from './whole.ts';

const { context } = JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'));
const withoutCode = { 'aws:cdk:bundling-stacks': [], 'aws:cdk:enable-path-metadata': true };

/** An app from cdk.json that builds no code. */
export const newApp = (): App => new App({ context: { ...context, ...withoutCode } });

/** The stacks of a stage as from `cdk synth`, without building any code. */
function stacksOf({ buffered = false, stage = stageNamed('live'), dashboard }: Synthesis = {}, app = newApp()) {
  return createPlatform(app, { stage: parseStage(plain(stage)), buffered, dashboard: dashboard ?? null });
}

/** A stage as written, before its model endpoints are parsed into a map. */
const plain = (stage: Synthesis['stage']) => {
  const endpoints = stage?.models.endpoints;
  return endpoints instanceof Map
    ? { ...stage, models: { ...stage?.models, endpoints: Object.fromEntries(endpoints) } }
    : stage;
};

export function synthesiseNow(synthesis: Synthesis): Synthesised {
  const { data, api, monitoring, models } = stacksOf(synthesis);
  const all = [data, api, monitoring, ...(models ? [models] : [])].flatMap((stack) => [stack, ...nestedIn(stack)]);
  return {
    data: wholeOf(data),
    api: wholeOf(api),
    monitoring: wholeOf(monitoring),
    models: models ? wholeOf(models) : { resources: {}, outputs: {} },
    own: Object.fromEntries(all.map((stack) => [stack.node.path, templateOf(stack)])),
  };
}

const nestedIn = (stack: Stack) => stack.node.findAll().filter((node) => node instanceof NestedStack);

function wholeOf(stack: Stack): Whole {
  const nested = nestedIn(stack).filter(({ nestedStackParent }) => nestedStackParent === stack);
  const parts = nested.map((inner) => ({ id: idOf(stack, inner), whole: wholeOf(inner) }));
  return joined(templateOf(stack), parts);
}

const idOf = (stack: Stack, { nestedStackResource }: NestedStack) =>
  nestedStackResource ? stack.getLogicalId(nestedStackResource) : '';

const templateOf = (stack: Stack): OwnTemplate => Template.fromStack(stack).toJSON() as OwnTemplate;
