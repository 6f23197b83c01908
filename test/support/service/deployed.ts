import { TestRunner } from 'vitest';

/** Addresses of the deployed gateway and the local AWS, set in the tests of test/deploy. */
const { DEPLOYED_API, DEPLOYED_AWS } = process.env;

interface Mail {
  readonly To: readonly string[];
  readonly Subject: string;
  readonly BodyText: string;
  readonly BodyHtml: string;
}

/**
 * Replaces the local service by the deployed one, if the tests run against that. Requests and emails work the same
 * way. Tests that move the clock, inject faults or read the process are skipped.
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
    /** The emails in the form of `/_local/mail`, newest first. */
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
