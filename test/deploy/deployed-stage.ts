import { readFileSync } from 'node:fs';
import type { LocalAws } from './local-aws.ts';

type Outputs = Readonly<Record<string, Readonly<Record<string, string>>>>;

export const stacksOf = (stage: string): readonly string[] => [`text-ai-${stage}-data`, `text-ai-${stage}-api`];

/** Environment variables with the names of a stage's deployed resources. */
export function deployedStage(
  stage: string,
  outputsFile: string,
  { url, variables }: LocalAws,
): Record<string, string> {
  const outputs: Outputs = JSON.parse(readFileSync(outputsFile, 'utf8'));
  const [data = {}, api = {}] = stacksOf(stage).map((stack) => outputs[stack]);
  const apiId = /^https?:\/\/([^.]+)\./.exec(api['ApiUrl'] ?? '')?.[1];
  const tables = Object.entries(data)
    .filter(([name]) => name.endsWith('TableName'))
    .map(([name, value]) => [`${name.replace(/TableName$/, '').toUpperCase()}_TABLE`, value]);
  return {
    ...variables,
    ...Object.fromEntries(tables),
    DEPLOYED_API: `${url}/restapis/${apiId}/live/_user_request_`,
    DEPLOYED_AWS: url,
    POWERTOOLS_LOG_LEVEL: 'SILENT',
  };
}
