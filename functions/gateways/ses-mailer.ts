import { MessageRejected, SESClient, SendEmailCommand } from '@aws-sdk/client-ses';
import { sesSettings } from '#aws/clients.ts';
import { mailFeedback } from '#contract/jobs.ts';
import { offer } from '#contract/offer/current-offer.ts';
import type { Mailer } from '#domain/mail/mail.ts';

export const sesClient = (): SESClient => new SESClient(sesSettings);

export interface MailerSettings {
  /** Sender address. Email clients show the product's name next to it. */
  readonly sender: string;
  /** SES configuration set that reports deliveries, bounces and complaints. Undefined for no reports. */
  readonly configurationSet: string | undefined;
}

/** SES limits the characters of a tag's value. */
const isTagValue = (text: string): boolean => /^[\w-]{1,256}$/.test(text);

const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });

/** Sends through SES. A rejected message is final; throttling and outages are thrown after the client's own retries. */
export function sesMailer(client: SESClient, { sender, configurationSet }: MailerSettings): Mailer {
  return {
    async send({ id, to, subject, text, html }) {
      try {
        await client.send(
          new SendEmailCommand({
            Source: `${offer.product.name} <${sender}>`,
            ...(configurationSet && { ConfigurationSetName: configurationSet }),
            Destination: { ToAddresses: [to] },
            ...(isTagValue(id) && { Tags: [{ Name: mailFeedback.tag, Value: id }] }),
            Message: { Subject: utf8(subject), Body: { Text: utf8(text), Html: utf8(html) } },
          }),
        );
        return 'sent';
      } catch (error) {
        if (isFinal(error)) return 'rejected';
        throw error;
      }
    },
  };
}

/**
 * A retry cannot help, because SES rejected the message or its address. Endless retries would delay the emails behind
 * it.
 */
function isFinal(error: unknown): boolean {
  return error instanceof MessageRejected || (error instanceof Error && error.name === 'InvalidParameterValue');
}
