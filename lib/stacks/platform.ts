import type { Construct } from 'constructs';
import { ApiStack, type ApiStackProps } from './api-stack.ts';
import { DataStack } from './data-stack.ts';

export type PlatformProps = Pick<ApiStackProps, 'stage' | 'buffered'>;

/** All stacks of a stage. */
export function createPlatform(scope: Construct, { stage, buffered }: PlatformProps) {
  const env = stage.env && { env: stage.env };
  const data = new DataStack(scope, `text-ai-${stage.name}-data`, { ...env });
  const api = new ApiStack(scope, `text-ai-${stage.name}-api`, { ...env, stage, buffered, tables: data.tables });
  return { data, api };
}
