import { services } from '../services/container.ts';
import { recordCharge } from '../telemetry.ts';

/** Writes the ledger rows of a meter's image, and its charges into the metrics. Doing it again changes no row. */
export async function projectImage(image: Record<string, unknown>): Promise<void> {
  const rows = await services().ledger().project(image);
  for (const { type, service, amount } of rows) {
    if (type === 'charge' && service && amount < 0) recordCharge(service, -amount);
  }
}
