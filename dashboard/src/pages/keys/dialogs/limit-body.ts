import * as v from 'valibot';
import { KeyLimits } from '#contract/accounts/keys.ts';
import type { Limits } from './limit-fields.tsx';

export const limitLabels = { limit: 'Credits', models: 'Models', services: 'Services' };

/** The limits of a form that its schema let through, as they are sent. */
export const limitBody = ({ limit, models, services }: Limits) => v.parse(KeyLimits, { limit, models, services });
