import type { Stub, StubResponse } from '../stub-aws.ts';

const namespaces = {
  GetCallerIdentity: 'https://sts.amazonaws.com/doc/2011-06-15/',
  DescribeStacks: 'http://cloudformation.amazonaws.com/doc/2010-05-15/',
} as const;

const xml = (operation: keyof typeof namespaces, result: string): StubResponse => ({
  body: `<${operation}Response xmlns="${namespaces[operation]}"><${operation}Result>${result}</${operation}Result></${operation}Response>`,
});

export const callerIdentity = (account: string): StubResponse =>
  xml('GetCallerIdentity', `<Account>${account}</Account><Arn>arn:aws:iam::${account}:user/deployer</Arn>`);

/** A stack with its outputs. */
export const stack = (status: string, outputs: Readonly<Record<string, string>> = {}): StubResponse => {
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  return xml(
    'DescribeStacks',
    `<Stacks><member><StackName>s</StackName><CreationTime>2026-01-01T00:00:00Z</CreationTime>` +
      `<StackStatus>${status}</StackStatus><Outputs>${members.join('')}</Outputs></member></Stacks>`,
  );
};

export const noStack: StubResponse = {
  status: 400,
  body:
    '<ErrorResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><Error><Type>Sender</Type>' +
    '<Code>ValidationError</Code><Message>Stack with id x does not exist</Message></Error><RequestId>r</RequestId></ErrorResponse>',
};

export const concurrency = (quota: number, unreserved = quota): StubResponse => ({
  body: { AccountLimit: { ConcurrentExecutions: quota, UnreservedConcurrentExecutions: unreserved } },
});

/** An SES account. */
export const sending = (account: object = {}): StubResponse => ({
  body: {
    ProductionAccessEnabled: true,
    SendingEnabled: true,
    EnforcementStatus: 'HEALTHY',
    SendQuota: { Max24HourSend: 50_000, MaxSendRate: 14, SentLast24Hours: 0 },
    ...account,
  },
});

export const identity = (isVerified: boolean): StubResponse => ({
  body: { IdentityType: 'DOMAIN', VerifiedForSendingStatus: isVerified },
});

/** An error of the JSON protocols. */
export const failure = (type: string, message: string, status = 400): StubResponse => ({
  status,
  body: { __type: type, message },
});

export const noIdentity = failure('NotFoundException', 'Email identity does not exist', 404);

export const certificate = (status: string, ...names: string[]): StubResponse => ({
  body: { Certificate: { Status: status, SubjectAlternativeNames: names } },
});

export const webAcls = (count: number): StubResponse => ({
  body: { WebACLs: Array.from({ length: count }, (_, index) => ({ Name: `acl-${index}`, Id: String(index) })) },
});

/** A page of SageMaker's quotas by name. `next` is the token of the next page. */
export const quotas = (values: Readonly<Record<string, number>>, next?: string): StubResponse => ({
  body: {
    Quotas: Object.entries(values).map(([QuotaName, Value]) => ({ ServiceCode: 'sagemaker', QuotaName, Value })),
    ...(next !== undefined && { NextToken: next }),
  },
});

export const endpoint = (EndpointStatus: string): StubResponse => ({ body: { EndpointStatus } });
export const noEndpoint = failure('ValidationException', 'Could not find endpoint "x".');

/** An account in which a stage with every option can be deployed. */
export const readyAccount: Stub = {
  GetCallerIdentity: callerIdentity('111111111111'),
  'DescribeStacks CDKToolkit': stack('CREATE_COMPLETE', { BootstrapVersion: '28' }),
  DescribeStacks: noStack,
  GetAccountSettings: concurrency(1000),
  GetAccount: sending(),
  GetEmailIdentity: noIdentity,
  DescribeCertificate: certificate('ISSUED', 'text.example.com'),
  ListWebACLs: webAcls(3),
  ListServiceQuotas: quotas({ 'ml.g5.xlarge for endpoint usage': 2 }),
  ListAWSDefaultServiceQuotas: quotas({}),
  DescribeEndpoint: endpoint('InService'),
};
