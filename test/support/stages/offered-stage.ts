#!/usr/bin/env node
import '../../../bin/deployed-offer.ts';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Prints the grants of the stage `live` with the offer of the working directory, the offer, and the canary's code. */
const { jobEntry } = await import('#contract/handlers.ts');
const { canary } = await import('#contract/jobs.ts');
const { synthesiseNow } = await import('../../infra/stacks.ts');
const { bundle, bundling } = await import('#lib/constructs/function-code.ts');
const policies = Object.values(synthesiseNow({}).api.resources).filter(({ Type }) => Type === 'AWS::IAM::Policy');
const folder = mkdtempSync(join(process.cwd(), 'canary-'));
bundle(jobEntry(canary), folder);
const code = readFileSync(join(folder, 'index.mjs'), 'utf8');
rmSync(folder, { recursive: true });
const grants = policies.map(({ Properties }) => Properties);
console.log(JSON.stringify({ grants, offer: bundling.define.OFFER, canary: code }));
