import { describe, expect, it } from 'vitest';
import type { Account, EmailChange } from '#domain/accounts/account.ts';
import { agreementMail } from '#domain/accounts/email-change-mails.ts';
import { emailChangeView } from '#domain/accounts/email-change.ts';
import { mailTemplates, sentMails } from '#test/requests/accounts/mail-templates.ts';

const link = 'https://text.example.org/confirm?token=tac_abc&kind=new';
const ada = { name: 'Ada', confirmedAt: 1 };
const attack = `<b title="x" onclick='steal()'> & </p><script>x</script>`;

const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
const unescaped = (html: string) => html.replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => characters[name]!);
const readable = (html: string) => unescaped(html.replaceAll(/<[^>]*>/g, '\n')).split('\n');
const tags = (html: string) => html.match(/<[^>]*>/g) ?? [];
const linksIn = (html: string) => [...html.matchAll(/href="([^"]*)"/g)].map(([, target = '']) => unescaped(target));

describe.each(mailTemplates)('%s', (_, write, isToOwner) => {
  const mail = write(ada, link);

  it('has a one-line subject, the same sentences in text and in HTML, and greets its owner by name', () => {
    expect(mail.subject).toMatch(/^[A-Z][^\r\n]{5,100}$/);
    const shown = readable(mail.html).map((line) => line.trim());
    const sentences = mail.text.split('\n').filter((line) => line !== '' && line !== link);
    expect(sentences[0]).toBe(isToOwner ? 'Hello Ada,' : 'Hello,');
    expect(sentences.length).toBeGreaterThanOrEqual(3);
    for (const sentence of sentences) expect(shown).toContain(sentence.replace(/:$/, ''));
  });

  it.each([
    ['no recipient with an unconfirmed address', { name: 'Ada' }],
    ['no recipient whose name contains a link', { name: 'Ada of evil.com', confirmedAt: 1 }],
    ['no recipient whose name has two lines', { name: 'Ada,\nyou won', confirmedAt: 1 }],
  ])('names %s', (_, to) => {
    const { subject, text, html } = write(to, link);
    expect(text.split('\n')[0]).toBe('Hello,');
    expect(html).toContain('<p>Hello,</p>');
    expect(subject + text + html).not.toMatch(/Ada|evil|won/);
  });

  it('has exactly one link, the same in text and in HTML', () => {
    expect(mail.text.match(/https?:\S+/g)).toEqual([link]);
    expect(linksIn(mail.html)).toEqual([link]);
  });

  it('displays HTML in a name as text, without adding a tag', () => {
    const hostile = write({ ...ada, name: attack }, link);
    expect(tags(hostile.html)).toEqual(tags(mail.html));
    expect(readable(hostile.html)).toContain(isToOwner ? `Hello ${attack},` : 'Hello,');
    expect(hostile.subject).toBe(mail.subject);
    expect(linksIn(hostile.html)).toEqual([link]);
  });

  it('keeps a hostile link inside its attribute', () => {
    const hostile = write(ada, `${link}"><script>alert(1)</script>`);
    expect(hostile.html).not.toContain('<script');
    expect(tags(hostile.html)).toHaveLength(tags(mail.html).length);
  });

  it('is an HTML document with balanced tags, which loads and runs nothing', () => {
    expect(mail.html).toMatch(/^<!doctype html>\n<html lang="en">/);
    const closings = tags(mail.html).filter((tag) => tag.startsWith('</'));
    expect(tags(mail.html)).toHaveLength(1 + 2 * closings.length);
    for (const tag of tags(mail.html)) {
      expect(tag).not.toMatch(
        /^<(?:img|script|style|link|iframe|object|embed|video|audio|base|meta|form|input|svg)\b/i,
      );
      expect(tag).not.toMatch(/\s(?:src|srcset|background|action|on\w+)=|url\(|@import/i);
    }
  });
});

const isToStranger = /^(?:newAddressMail|addressTakenMail)$/;

it.each(sentMails.filter(([name]) => !isToStranger.test(name)))(
  '%s links to the preferences in text and in HTML if they are known',
  (_, { text, html }) => {
    const preferences = 'https://text.example.org/settings#emails';
    expect(text.split('\n')).toContain(preferences);
    expect(linksIn(html)).toContain(preferences);
  },
);

const digests = { oldDigest: 'old', newDigest: 'new' };
const times = { requestedAt: 1000, expiresAt: 2000, sessionsValidFrom: 0 };
const change: EmailChange = { email: 'new@example.com', ...digests, ...times };
const owner = { id: 1, email: 'old@example.com', name: 'Ada', role: 'viewer', createdAt: 0, confirmedAt: 0 } as const;
const account: Account = { ...owner, emailChange: change };

describe('the pending change of an email address', () => {
  it('is shown with the sides that have confirmed, without tokens', () => {
    const half: EmailChange = { ...change, oldConfirmedAt: 1500 };
    expect(emailChangeView({ ...account, emailChange: half }, 1999)).toEqual({
      email: 'new@example.com',
      expiresAt: '1970-01-01T00:00:02.000Z',
      isConfirmedByOld: true,
      isConfirmedByNew: false,
    });
  });

  it('is shown in the same way if the new address has an account, so that only its owner learns that', () => {
    const { newDigest: _, ...taken } = change;
    expect(emailChangeView({ ...account, emailChange: taken }, 1500)).toEqual(emailChangeView(account, 1500));
  });

  it.each<[string, Partial<Account>, number]>([
    ['after it has expired', {}, 2000],
    ['after it was cancelled', { emailChange: { ...change, outcome: 'cancelled' } }, 1500],
    ['after all sessions were ended, as by a new password', { sessionsValidFrom: 1200 }, 1500],
    ['after the account was deleted', { deletedAt: 1200 }, 1500],
  ])('is not shown %s', (_, after, now) => {
    expect(emailChangeView({ ...account, ...after }, now)).toBe(null);
  });
});

it('the email that asks for consent names the new address', () => {
  expect(agreementMail(account, 'new@example.com', 'https://x').text).toContain('new@example.com');
});
