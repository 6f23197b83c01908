#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { requireTables, tableVariables } from '#contract/platform/environment.ts';
import type { TableId } from '#contract/platform/resources.ts';
import type { StoredDatabase } from '#local/start/stored-database.ts';

const usage = `Usage: npx node bin/operator.ts EMAIL [operator|viewer|clear-hold|unblock] [--data DIR]

Assigns the role operator, or the given one, to the account with this email address. Each change writes an audit event.
clear-hold lets the account buy again after a refund, a dispute or a fraud warning (docs/payments.md).
unblock lets emails be sent to the address again after a bounce or a spam complaint.

Without the variables below, uses the database of npm start, whether it runs or not: of its data folder .local, or of
the one that --data names.

Environment:

  ACCOUNTS_TABLE, METERS_TABLE, AUDIT_TABLE, and PAYMENTS_TABLE for clear-hold
                                              names of the deployed tables; your AWS profile needs write access
  AWS_ENDPOINT_URL_DYNAMODB                   instead: URL of a database on this machine

Exit codes: 0 done; 1 failed; 2 invalid arguments, or nothing to clear or unblock.
`;

class Refusal extends Error {}

function options() {
  try {
    const options = {
      help: { type: 'boolean', short: 'h', default: false },
      data: { type: 'string' },
    } as const;
    return parseArgs({ options, allowPositionals: true });
  } catch (cause) {
    throw new Refusal(usage, { cause });
  }
}

const actions = {
  operator: ['accounts', 'meters', 'audit'],
  viewer: ['accounts', 'meters', 'audit'],
  'clear-hold': ['accounts', 'meters', 'audit', 'payments'],
  unblock: ['accounts', 'meters', 'audit'],
} as const satisfies Record<string, readonly TableId[]>;
type Action = keyof typeof actions;

const isAction = (text: string): text is Action => Object.hasOwn(actions, text);

/** Returns the database of a data folder, unless the environment names another one. */
async function chooseDatabase(action: Action, data: string | undefined): Promise<StoredDatabase | undefined> {
  const isNamed = Object.values(tableVariables).some((name) => process.env[name]);
  if (data !== undefined || !(isNamed || process.env['AWS_ENDPOINT_URL_DYNAMODB'])) {
    const { useStoredDatabase } = await import('#local/start/stored-database.ts');
    return useStoredDatabase(data ?? '.local');
  }
  if (process.env['AWS_ENDPOINT_URL_DYNAMODB']) {
    const { useLocalTables } = await import('#local/start/stored-database.ts');
    useLocalTables();
  } else requireTables(...actions[action]);
  return undefined;
}

async function act(email: string, action: Action): Promise<string> {
  const { services } = await import('#runtime/services/container.ts');
  if (action === 'clear-hold') {
    const cleared = await (await services().operators()).actions().clearHolds(email);
    if (cleared === 0) throw new Refusal(`No payments of ${email} block purchases.\n`);
    return `${email} can buy again; ${cleared} payments were cleared.\n`;
  }
  if (action === 'unblock') {
    if (!(await (await services().operators()).actions().unblock(email)))
      throw new Refusal(`Emails to ${email} are not blocked.\n`);
    return `Emails are sent to ${email} again.\n`;
  }
  await (await services().operators()).actions().setRole(email, action);
  return `${email} has the role ${action} now.\n`;
}

async function run(): Promise<string> {
  const { values, positionals } = options();
  const [email, action = 'operator', ...rest] = positionals;
  if (values.help) return usage;
  if (!email || rest.length > 0) throw new Refusal(usage);
  if (!isAction(action))
    throw new Refusal(`There is no action ${action}. The actions are ${Object.keys(actions).join(', ')}.\n`);
  const database = await chooseDatabase(action, values.data);
  try {
    if (database) process.stdout.write(`${database.about}\n`);
    return await act(email, action);
  } finally {
    await database?.close();
  }
}

try {
  process.stdout.write(await run());
} catch (error) {
  const reason = error instanceof Error ? error.message || error.name : String(error);
  process.stderr.write(error instanceof Refusal ? reason : `Nothing was changed: ${reason}\n`);
  process.exitCode = error instanceof Refusal ? 2 : 1;
}
