import { findModel, firstModelFor, models } from '#contract/inference/models.ts';
import { offer } from '#contract/offer/current-offer.ts';
import { secretVariable } from '#contract/offer/offer.ts';
import { curlLine, type Status } from '../admin/admin.ts';
import { demoPlan } from '../admin/demo-account.ts';
import type { LocalOptions } from './options.ts';

/** Printed once the service accepts requests. */
export function welcome(status: Status, engine: string): string {
  const { origin } = new URL(status.dashboardUrl);
  return [
    '',
    `${offer.product.name}, running on this machine only.`,
    '',
    `  Page       ${status.dashboardUrl}`,
    `  Guides     ${origin}/guides`,
    `  Reference  ${status.docsUrl}`,
    `  API        ${status.apiUrl}`,
    `  Inference  ${status.inferenceUrl}`,
    `  OpenAI     ${origin}/openai/v1  (base URL for the official SDKs)`,
    `  Anthropic  ${origin}/anthropic  (base URL for the official SDKs and Claude Code)`,
    `  Inbox      ${origin}/_local/inbox  (emails arrive here)`,
    `  Phone      ${origin}/_local/phone  (messages arrive here)`,
    `  Models     ${engine}`,
    ...missingSecrets(process.env).map((name) => `  Missing    ${name} is not set; calls that need it return 503`),
    ...demoLines(status),
    'Next:',
    `  register yourself    ${status.dashboardUrl}register, or use the demo account there`,
    `  a month later        POST ${origin}/_local/clock  {"advance":"P1M"}`,
    ...brokenModelLines(origin),
    '',
    'Ctrl-C ends it; all data is kept.',
    '',
  ].join('\n');
}

/** Variables of the model servers' API keys that have no value. */
function missingSecrets(environment: NodeJS.ProcessEnv): string[] {
  const endpoints = models.flatMap((model) => model.endpoints);
  const names = endpoints.flatMap((endpoint) =>
    endpoint.kind === 'openai' && endpoint.secret !== undefined ? [secretVariable(endpoint.secret)] : [],
  );
  return [...new Set(names)].filter((name) => !environment[name]);
}

/** Faults need a stand-in for the first chat model. */
function brokenModelLines(origin: string): string[] {
  const kind = findModel(firstModelFor('chat'), 'chat')?.endpoints[0]?.kind ?? 'sagemaker';
  if (kind === 'openai') return [];
  return [`  a broken model       POST ${origin}/_local/faults  {"target":"${kind}","fault":"error"}`];
}

function demoLines(status: Status): string[] {
  const line = curlLine(status);
  if (!status.demo || line === undefined) return [''];
  const { email, password, apiKey } = status.demo;
  return [
    '',
    `  Demo       ${email}, password ${password}, plan ${demoPlan.name}`,
    `  Key        ${apiKey}`,
    '',
    'First call:',
    '',
    line,
    '',
  ];
}

/** `runtime` is the URL of a SageMaker runtime that is used instead of the stand-in. */
export function engineName(
  { modelUrl, modelName }: Pick<LocalOptions, 'modelUrl' | 'modelName'>,
  runtime: string | undefined,
): string {
  if (runtime) return `SageMaker runtime at ${runtime}`;
  if (models.every(({ endpoints }) => endpoints.every(({ kind }) => kind === 'openai'))) return 'behind their own URLs';
  if (modelUrl === undefined) return 'built-in demo engine; --model-url puts a real model in its place';
  return modelName === undefined ? modelUrl : `${modelName} at ${modelUrl}`;
}
