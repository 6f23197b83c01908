#!/usr/bin/env node
import '../../../bin/deployed-offer.ts';

/** Prints the grants of the stage `live` with the offer of the working directory, and the offer that is bundled. */
const { synthesiseNow } = await import('../../infra/stacks.ts');
const { bundling } = await import('#lib/constructs/function-code.ts');
const policies = Object.values(synthesiseNow({}).api.resources).filter(({ Type }) => Type === 'AWS::IAM::Policy');
console.log(JSON.stringify({ grants: policies.map(({ Properties }) => Properties), offer: bundling.define.OFFER }));
