#!/usr/bin/env node
import { loadOffer } from '#lib/offer.ts';

/**
 * Serves an offer. Usage: `serve-offer.ts <offer file> <data folder> [build] [payments]`. `build` builds the dashboard,
 * `payments` starts the stand-in for Stripe. Prints its origin and demo key.
 */
const [file = '', data = '', ...flags] = process.argv.slice(2);
process.env['OFFER'] = JSON.stringify(loadOffer(file, { isLocal: true }));
const { startService } = await import('#local/start/service.ts');
const service = await startService({
  port: 0,
  data,
  log: () => undefined,
  buildDashboard: flags.includes('build'),
  payments: flags.includes('payments') ? 'stripe' : 'none',
});
console.log(JSON.stringify({ origin: service.origin, key: service.status.demo?.apiKey }));
process.on('SIGTERM', () => void service.close().then(() => process.exit(0)));
// The input ends with the process that started this one, even if that process was killed.
process.stdin.on('end', () => process.exit()).resume();
