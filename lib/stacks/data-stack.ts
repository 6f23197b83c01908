import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { EmailIdentity, Identity } from 'aws-cdk-lib/aws-ses';
import type { Construct } from 'constructs';
import { domainOf } from '#lib/constructs/mail.ts';
import { createTables, type Tables } from '#lib/constructs/tables.ts';
import type { Stage } from '#lib/stage.ts';

export interface DataStackProps extends StackProps {
  readonly stage: Stage;
}

/** Resources that are retained: the tables, and the identity that mails are sent from. */
export class DataStack extends Stack {
  readonly tables: Tables;

  constructor(scope: Construct, id: string, { stage, ...props }: DataStackProps) {
    super(scope, id, { description: 'Text AI platform: data, kept', ...props });
    this.tables = createTables(this, stage);
    for (const [id, { tableName }] of Object.entries(this.tables)) {
      new CfnOutput(this, `${id}TableName`, { value: tableName });
    }
    if (stage.mail.identity === 'created') this.#verifySender(domainOf(stage.mail.sender));
  }

  /** SES signs with DKIM once these records stand in the domain's DNS. */
  #verifySender(domain: string): void {
    const identity = new EmailIdentity(this, 'Sender', { identity: Identity.domain(domain), dkimSigning: true });
    identity.applyRemovalPolicy(RemovalPolicy.RETAIN);
    for (const [index, { name, value }] of identity.dkimRecords.entries()) {
      new CfnOutput(this, `DkimRecord${index + 1}`, { value: `${name} CNAME ${value}` });
    }
  }
}
