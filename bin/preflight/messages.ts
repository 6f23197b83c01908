import { DescribeAccountAttributesCommand } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import type { Clients } from './clients.ts';
import { type Finding, missing, ok } from './result.ts';

/** A new account is in the sandbox and sends only to verified numbers (AWS "AWS End User Messaging SMS sandbox"). */
export async function checkMessages({ messages }: Clients): Promise<Finding> {
  const { AccountAttributes = [] } = await messages.send(new DescribeAccountAttributesCommand());
  const tier = AccountAttributes.find(({ Name }) => Name === 'ACCOUNT_TIER')?.Value;
  if (tier === 'PRODUCTION') return ok('production access');
  return missing(
    'End User Messaging is in the sandbox and sends to verified numbers only: request production access (its console).',
  );
}
