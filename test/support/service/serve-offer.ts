#!/usr/bin/env node
import { loadOffer } from '#lib/offer.ts';

/** Serves an offer. Usage: `serve-offer.ts <offer file> <data folder> [build]`, where `build` builds the dashboard. Prints its origin and demo key. */
const [file = '', data = '', build] = process.argv.slice(2);
process.env['OFFER'] = JSON.stringify(loadOffer(file, { isLocal: true }));
const { startService } = await import('#local/start/service.ts');
const service = await startService({ port: 0, data, log: () => undefined, buildDashboard: build === 'build' });
console.log(JSON.stringify({ origin: service.origin, key: service.status.demo?.apiKey }));
process.on('SIGTERM', () => void service.close().then(() => process.exit(0)));
