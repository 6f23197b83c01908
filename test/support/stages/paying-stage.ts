import type { Stage } from '#lib/stage.ts';
import { live, parseStage } from '#lib/stages.ts';

/** The default stage with payments. */
export const payingStage: Stage = parseStage({ ...live, payments: { stripe: { secret: 'text-ai/stripe' } } });
