import { brand } from '#contract/shared/fields.ts';
import { curlLine, type Status } from '../admin/admin.ts';
import { demoPlan } from '../admin/demo-account.ts';
import type { LocalOptions } from './options.ts';

/** Printed once the service accepts requests. */
export function welcome(status: Status, engine: string): string {
  const { origin } = new URL(status.dashboardUrl);
  return [
    '',
    `${brand.name}, running on this machine only.`,
    '',
    `  Page       ${status.dashboardUrl}`,
    `  Guides     ${origin}/guides`,
    `  Reference  ${status.docsUrl}`,
    `  API        ${status.apiUrl}`,
    `  Inference  ${status.inferenceUrl}`,
    `  OpenAI     ${origin}/openai/v1  (base URL for the official SDKs)`,
    `  Inbox      ${origin}/_local/inbox  (mails end up here)`,
    `  Phone      ${origin}/_local/phone  (messages end up here)`,
    `  Models     ${engine}`,
    ...demoLines(status),
    'Next:',
    `  register yourself    ${status.dashboardUrl}register, or use the demo account there`,
    `  a month later        POST ${origin}/_local/clock  {"advance":"P1M"}`,
    `  a broken model       POST ${origin}/_local/faults  {"target":"sagemaker","fault":"error"}`,
    '',
    'Ctrl-C ends it; all data is kept.',
    '',
  ].join('\n');
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

export function engineName({ modelUrl, modelName }: Pick<LocalOptions, 'modelUrl' | 'modelName'>): string {
  if (modelUrl === undefined) return 'built-in demo engine; --model-url puts a real model in its place';
  return modelName === undefined ? modelUrl : `${modelName} at ${modelUrl}`;
}
