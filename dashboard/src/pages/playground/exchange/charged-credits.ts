import { creditRoutes } from '#contract/routes/billing/credits.ts';
import { call } from '../../../api/call.ts';

const maxAttempts = 12;
const intervalMs = 500;

/**
 * Credits charged for a request, from the credit history, where a charge appears shortly after the call ended;
 * undefined where it has not appeared within 6 seconds.
 */
export async function chargedCredits(requestId: string): Promise<number | undefined> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const { entries } = await call(creditRoutes.getCredits, { query: { limit: '20' } });
    const entry = entries.find((one) => one.requestId === requestId);
    if (entry) return Math.abs(entry.credits);
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
  }
  return undefined;
}
