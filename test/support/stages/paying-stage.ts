import type { Stage } from '#lib/stage.ts';
import { live, parseStage } from '#lib/stages.ts';

/** The default stage with payments, and with the email identity and the log role of another stage. */
export const payingStage: Stage = parseStage({
  ...live,
  mail: { ...live.mail, identityOwner: 'staging' },
  gatewayLogsOwner: 'staging',
  payments: { stripe: { secret: 'text-ai/stripe' } },
});
