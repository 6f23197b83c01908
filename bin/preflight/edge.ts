import { DescribeCertificateCommand } from '@aws-sdk/client-acm';
import { ListWebACLsCommand } from '@aws-sdk/client-wafv2';
import type { Clients } from './clients.ts';
import { type Finding, isNamed, missing, ok } from './result.ts';

/** Default quota of web ACLs per region (AWS "AWS WAF quotas"). */
const maxWebAcls = 100;

export interface Domain {
  readonly name: string;
  readonly certificateArn: string;
}

/** The certificate of the stage's domain must be issued, in us-east-1, and cover the name. */
export async function checkCertificate({ acm }: Clients, { name, certificateArn }: Domain): Promise<Finding> {
  try {
    const { Certificate = {} } = await acm.send(new DescribeCertificateCommand({ CertificateArn: certificateArn }));
    const { Status, SubjectAlternativeNames = [] } = Certificate;
    if (Status !== 'ISSUED') return missing(`The certificate is ${Status}: add its validation records to the DNS.`);
    if (!SubjectAlternativeNames.some((pattern) => covers(pattern, name)))
      return missing(
        `The certificate is for ${SubjectAlternativeNames.join(', ')}: request one for ${name} in us-east-1.`,
      );
    return ok(`issued for ${name}`);
  } catch (error) {
    if (!isNamed(error, 'ResourceNotFoundException')) throw error;
    return missing(`${certificateArn} does not exist: request a certificate for ${name} in us-east-1.`);
  }
}

/** A wildcard matches one label. */
const covers = (pattern: string, name: string): boolean =>
  pattern === name || (pattern.startsWith('*.') && pattern.slice(1) === name.slice(name.indexOf('.')));

export async function checkFirewall({ waf }: Clients): Promise<Finding> {
  const { WebACLs = [] } = await waf.send(new ListWebACLsCommand({ Scope: 'REGIONAL', Limit: maxWebAcls }));
  if (WebACLs.length < maxWebAcls) return ok(`${WebACLs.length} of ${maxWebAcls} web ACLs are used`);
  return missing(
    `All ${maxWebAcls} web ACLs are used: delete one, or request a higher quota (Service Quotas, AWS WAF).`,
  );
}
