import { TestRunner } from 'vitest';

/** Where the platform is deployed, for the tests of test/deploy: the gateway's address, and that of the local AWS. */
const { DEPLOYED_API, DEPLOYED_AWS } = process.env;

interface Mail {
  readonly To: readonly string[];
  readonly Subject: string;
  readonly BodyText: string;
  readonly BodyHtml: string;
}

/**
 * In the place of a service of one's own: the deployed one, where the tests are run against that. The same requests
 * and the same mails; a test that must turn the clock, break a part or look inside the process is skipped.
 */
export function deployedService() {
  if (DEPLOYED_API === undefined || DEPLOYED_AWS === undefined) return undefined;
  const aws = DEPLOYED_AWS;
  const onlyHere = (): never => {
    TestRunner.getCurrentTest()?.context.skip('needs the service on one machine');
    throw new Error('needs the service on one machine');
  };
  return {
    origin: DEPLOYED_API,
    settled: async () => onlyHere(),
    status: undefined,
    died: new Promise<never>(() => undefined),
    close: async () => undefined,
    /** What `/_local/mail` returns on one machine, newest first. */
    async mails() {
      const { messages } = (await (await fetch(`${aws}/_ministack/ses/messages`)).json()) as {
        messages: Record<string, readonly Mail[]>;
      };
      const all = Object.values(messages).flat();
      return all
        .toReversed()
        .map(({ To, Subject, BodyText, BodyHtml }) => ({ to: To, subject: Subject, text: BodyText, html: BodyHtml }));
    },
    onlyHere,
  };
}
