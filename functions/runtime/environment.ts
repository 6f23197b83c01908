import * as v from 'valibot';
import { Environment } from '#contract/platform/environment.ts';
import { perEnvironment } from './per-environment.ts';

export const environment = perEnvironment(() => v.parse(Environment, process.env));
