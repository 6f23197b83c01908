#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { requireTables, tableVariables } from '#contract/platform/environment.ts';
import { tables } from '#contract/platform/resources.ts';

const usage = `Usage: npx node bin/operator.ts EMAIL [operator|viewer|clear-hold]

Assigns the role operator, or the given one, to the account with this email address and writes an audit event.
clear-hold lets the account buy again after a refund, a dispute or a fraud warning (docs/payments.md).

Environment:

  ACCOUNTS_TABLE, METERS_TABLE, AUDIT_TABLE, or PAYMENTS_TABLE for clear-hold
                                              names of the deployed tables; your AWS profile needs write access
  AWS_ENDPOINT_URL_DYNAMODB                   instead: URL of a database on this machine

"pgrep -a dynoxide" shows the address of the database of a running npm start:

  AWS_ENDPOINT_URL_DYNAMODB=http://HOST:PORT npx node bin/operator.ts me@example.com
`;

class Refusal extends Error {}

function options() {
  try {
    const options = { help: { type: 'boolean', short: 'h', default: false } } as const;
    return parseArgs({ options, allowPositionals: true });
  } catch (cause) {
    throw new Refusal(usage, { cause });
  }
}

/** Local tables have the names of the contract and need no credentials. */
async function useLocalDatabase(): Promise<void> {
  const { externalEndpoints, setCredentials } = await import('#local/start/environment.ts');
  setCredentials(externalEndpoints());
  process.env[tableVariables.accounts] ||= tables.accounts.name;
  process.env[tableVariables.meters] ||= tables.meters.name;
  process.env[tableVariables.audit] ||= tables.audit.name;
  process.env[tableVariables.payments] ||= tables.payments.name;
}

async function run(): Promise<string> {
  const { values, positionals } = options();
  const [email, role = 'operator', ...rest] = positionals;
  if (values.help) return usage;
  if (!email || rest.length > 0) throw new Refusal(usage);
  if (role !== 'operator' && role !== 'viewer' && role !== 'clear-hold')
    throw new Refusal(`There is no role ${role}; there are operator and viewer.\n`);
  if (process.env['AWS_ENDPOINT_URL_DYNAMODB']) await useLocalDatabase();
  else if (role === 'clear-hold') requireTables('accounts', 'payments');
  else requireTables('accounts', 'meters', 'audit');
  const { services } = await import('#runtime/services/container.ts');
  if (role === 'clear-hold') {
    const cleared = await services().clearHold(email);
    if (cleared === undefined) throw new Refusal(`There is no account ${email}.\n`);
    return `${email} can buy again; ${cleared} payments were cleared.\n`;
  }
  await (await services().operators()).actions().setRole(email, role);
  return `${email} has the role ${role} now.\n`;
}

try {
  process.stdout.write(await run());
} catch (error) {
  const reason = error instanceof Error ? error.message || error.name : String(error);
  process.stderr.write(error instanceof Refusal ? reason : `Nothing was changed: ${reason}\n`);
  process.exitCode = error instanceof Refusal ? 2 : 1;
}
