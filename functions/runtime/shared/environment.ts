import * as v from 'valibot';
import { Environment } from '#contract/platform/environment.ts';
import { perEnvironment } from './per-environment.ts';

/** The function's variables, read when one is first needed. */
export const environment = perEnvironment(() => v.parse(Environment, process.env));
