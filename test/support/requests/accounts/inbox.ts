import type { TestService } from '../../service/service.ts';

export interface ReceivedMail {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
}

/** The mails that an address has got, newest first, once everything that was requested is sent. */
export async function mailsTo(
  service: Pick<TestService, 'origin' | 'settled'>,
  email: string,
): Promise<ReceivedMail[]> {
  // A reset link takes three steps: the request, its mail in the outbox, the mail sent.
  for (let step = 0; step < 3; step++) await service.settled();
  const mails = (await (await fetch(`${service.origin}/_local/mail`)).json()) as ReceivedMail[];
  return mails.filter(({ to }) => to.includes(email));
}

export const tokenIn = (mail: ReceivedMail | undefined): string => /token=(\w+)/.exec(mail?.text ?? '')?.[1] ?? '';
