import { GetAccountCommand, GetEmailIdentityCommand } from '@aws-sdk/client-sesv2';
import { obstaclesOf } from '#lib/deployable.ts';
import { domainOf } from '#lib/owners.ts';
import type { Stage } from '#lib/stage.ts';
import { findStack } from './account.ts';
import type { Clients } from './clients.ts';
import { type Finding, isNamed, missing, ok } from './result.ts';

export async function checkSender(stage: Stage): Promise<Finding> {
  const obstacle = obstaclesOf(stage).find(({ setting }) => setting === 'mail.sender');
  return obstacle
    ? missing(`mail.sender ${obstacle.remedy}.`)
    : ok(`${domainOf(stage.mail.sender)} is not a reserved domain`);
}

export async function checkAlarms(stage: Stage): Promise<Finding> {
  const obstacle = obstaclesOf(stage).find(({ setting }) => setting === 'alarms.email');
  if (obstacle) return missing(`alarms.email ${obstacle.remedy}.`);
  return ok(stage.alarms.email ?? 'alarms only show');
}

/** A new account is in the sandbox and sends only to verified identities. */
export async function checkSending({ ses }: Clients): Promise<Finding> {
  const { ProductionAccessEnabled, SendingEnabled, EnforcementStatus, SendQuota } = await ses.send(
    new GetAccountCommand(),
  );
  if (!ProductionAccessEnabled)
    return missing(
      'SES is in the sandbox and sends to verified identities only: request production access (SES console).',
    );
  if (!SendingEnabled)
    return missing(`SES has paused sending (${EnforcementStatus}): reply to its case (SES console).`);
  return ok(`production access, ${SendQuota?.Max24HourSend ?? 0} mails a day`);
}

/** Checks the identity of the sender's domain or address. The owning stage creates it in its first deployment. */
export async function checkIdentity(
  clients: Clients,
  { name, mail: { sender, identityOwner } }: Stage,
): Promise<Finding> {
  const domain = domainOf(sender);
  const isOwner = identityOwner === name;
  const found = await findIdentity(clients, domain);
  if (isOwner && found && !(await findStack(clients.cloudFormation, `text-ai-${name}-data`)))
    return missing(`${domain} is an identity of the account already: set mail.identityOwner to null.`);
  if (isOwner && !found) return ok(`the stage creates ${domain}; put its DkimRecord outputs into the DNS then`);
  const identities = [found, await findIdentity(clients, sender)].filter((identity) => identity !== undefined);
  if (identities.some(({ isVerified }) => isVerified)) return ok(`${sender} is verified`);
  if (found) return missing(`${domain} is not verified: put its DKIM records into the DNS (SES console).`);
  if (identityOwner === null)
    return missing(`${domain} is no identity: verify it in SES, or set mail.identityOwner to ${name}.`);
  return missing(`${domain} is no identity yet: deploy text-ai-${identityOwner}-data, which creates it.`);
}

async function findIdentity({ ses }: Clients, EmailIdentity: string) {
  try {
    const { VerifiedForSendingStatus } = await ses.send(new GetEmailIdentityCommand({ EmailIdentity }));
    return { isVerified: VerifiedForSendingStatus === true };
  } catch (error) {
    if (isNamed(error, 'NotFoundException')) return undefined;
    throw error;
  }
}
