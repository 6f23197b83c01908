import { type CompiledMessage, compileMessageOrThrow } from '@lingui/message-utils/compileMessage';
import { describe, expect, it } from 'vitest';
import { type Language, languages } from '#contract/accounts/preferences.ts';
import type { Addressee, Letter } from '#domain/accounts/mail-layout.ts';
import { resetMail } from '#domain/accounts/mails.ts';
import { translated } from '#domain/mail/translation.ts';
import { receiptMail } from '#domain/payments/mails.ts';
import { messagesOfSource } from '#test/requests/accounts/mail-messages.ts';
import { mailTemplates } from '#test/requests/accounts/mail-templates.ts';

const link = 'https://text.example.org/confirm?token=tac_abc&kind=new';
const others = Object.keys(languages).filter((language) => language !== 'en') as Exclude<Language, 'en'>[];
const ada = (language: Language): Addressee => ({ name: 'Ada', confirmedAt: 1, language });

async function inTranslation(mail: { readonly letter?: string }, change: (letter: Letter) => Letter = (one) => one) {
  if (mail.letter === undefined) throw new Error('the email is for English only');
  return translated(change(JSON.parse(mail.letter)));
}

/** Names of a message's values, including those in plurals. */
function namesIn(message: CompiledMessage): string[] {
  const found = message.flatMap((token) => {
    if (typeof token === 'string') return [];
    const [name, , choices] = token;
    const inner = typeof choices === 'object' && choices !== null ? Object.values(choices) : [];
    return [name, ...inner.filter(Array.isArray).flatMap(namesIn)].filter((one) => one !== '#');
  });
  return [...new Set(found)].toSorted();
}

const source = messagesOfSource();

describe.each(others)('the emails in %s', (language) => {
  it('have a translation with the same values for every text of the source, and no other', async () => {
    const { messages } = await import(`../../../../functions/domain/mail/languages/${language}.ts`);
    expect(Object.keys(messages).toSorted()).toEqual(source.toSorted());
    for (const [message, translation] of Object.entries<string>(messages)) {
      expect(translation.trim()).toBe(translation);
      const names = namesIn(compileMessageOrThrow(translation));
      expect([message, ...names]).toEqual([message, ...namesIn(compileMessageOrThrow(message))]);
    }
  });

  it.each(mailTemplates.filter(([, , isToOwner]) => isToOwner))(
    'include %s, with the same link and no English sentence',
    async (_, write) => {
      const english = write(ada(language), link);
      const mail = await inTranslation(english);
      expect(mail?.html).toContain(`<html lang="${language}"${language === 'ar' ? ' dir="rtl"' : ''}>`);
      expect(mail?.text.match(/https?:\S+/g)).toEqual([link]);
      expect(mail?.html.match(/href="[^"]*"/g)).toEqual(english.html.match(/href="[^"]*"/g));
      expect(mail?.subject).toMatch(/^[^\r\n\u2068\u2069{}]+$/);
      expect(mail?.text).not.toMatch(/[{}]|undefined/);
      const sentences = english.text.split('\n').filter((line) => / .*[.,:]$/.test(line));
      for (const sentence of sentences) expect(mail?.text.split('\n')).not.toContain(sentence);
    },
  );

  it('are sent in English if a text has no translation', async () => {
    const unknown = (letter: Letter): Letter => ({ ...letter, footer: { ...letter.footer, message: 'Of tomorrow' } });
    expect(await inTranslation(resetMail(ada(language), link), unknown)).toBe(undefined);
  });
});

const receipt = { what: 'Dev Pass', cents: 123_456, credits: 5000, creditsUntil: '2027-11-30' };

it.each<[Exclude<Language, 'en'>, string, string, string]>([
  ['de', 'Hallo Ada,', '1.234,56 USD', '30. November 2027'],
  ['es', 'Hola, Ada:', '1234,56 USD', '30 de noviembre de 2027'],
  ['ja', 'Ada 様', '1,234.56 USD', '2027年11月30日'],
  ['ar', 'مرحبًا \u2068Ada\u2069،', '1,234.56 USD', '30 نوفمبر 2027'],
])('amounts and dates are written as usual in %s', async (language, greeting, amount, day) => {
  const mail = await inTranslation(receiptMail(ada(language), receipt, link));
  expect(mail?.text.split('\n')[0]).toBe(greeting);
  expect(mail?.subject).toContain(amount);
  expect(mail?.text).toContain(day);
});

it('an English email has no parts for a translation, and no email contains more of its recipient than it shows', () => {
  const stored = { ...ada('de'), passwordHash: 'secret', email: 'ada@example.com' };
  expect(resetMail({ name: 'Ada', confirmedAt: 1 }, link)).not.toHaveProperty('letter');
  expect(resetMail(ada('en'), link)).not.toHaveProperty('letter');
  expect(resetMail(stored, link).letter).not.toMatch(/secret|ada@example\.com/);
});
