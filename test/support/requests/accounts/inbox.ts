import type { TestService } from '../../service/service.ts';

export interface ReceivedMail {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Resolves when all pending emails are sent. A reset link takes three steps: the request, the outbox, the delivery. */
export async function mailsSent(service: Pick<TestService, 'settled'>): Promise<void> {
  for (let step = 0; step < 3; step++) await service.settled();
}

/** The emails to an address, newest first, once all pending ones are sent. */
export async function mailsTo(
  service: Pick<TestService, 'origin' | 'settled'>,
  email: string,
): Promise<ReceivedMail[]> {
  await mailsSent(service);
  const mails = (await (await fetch(`${service.origin}/_local/mail`)).json()) as ReceivedMail[];
  return mails.filter(({ to }) => to.includes(email));
}

export const tokenIn = (mail: ReceivedMail | undefined): string => /token=(\w+)/.exec(mail?.text ?? '')?.[1] ?? '';
