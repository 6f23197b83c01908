import type { Language } from '#contract/accounts/preferences.ts';
import { en } from '../shared/phrases.ts';
import { type Addressee, emailContent, type MailContent } from './mail-layout.ts';

/** The recipient may be unrelated to the account, so the email contains no name or other text of the requester. */
const anonymous = (language: Language | undefined): Addressee => ({ name: '', ...(language && { language }) });

export function newAddressMail(link: string, language?: Language): MailContent {
  return emailContent({
    subject: en`Confirm your new email address`,
    to: anonymous(language),
    body: en`Somebody, most likely you, wants to use this address for their account. It changes once this link and the one that went to the present address are both confirmed. The link works for 24 hours.`,
    action: en`Confirm or refuse`,
    link,
    footer: en`If it was not you, ignore this mail or refuse: without you nothing changes.`,
  });
}

/** Sent to the new address if it has an account, so that only its owner learns about it. */
export function addressTakenMail(link: string, language?: Language): MailContent {
  return emailContent({
    subject: en`Your email address has an account already`,
    to: anonymous(language),
    body: en`Somebody wanted to use this address for another account. As it has an account already, nothing changes.`,
    action: en`Sign in`,
    link,
    footer: en`If it was you, sign in with this address, or delete that account first. If it was not, there is nothing to do.`,
  });
}

export function agreementMail(to: Addressee, email: string, link: string): MailContent {
  return emailContent({
    subject: en`Confirm the change of your email address`,
    to,
    body: en`Somebody who is signed in to your account, most likely you, wants to change its email address to ${{ email }}. It changes once this link and the one that went to the new address are both confirmed. The link works for 24 hours.`,
    action: en`Confirm or refuse`,
    link,
    footer: en`If it was not you, refuse, and choose another password: somebody else can sign in to your account.`,
  });
}

export function emailChangedMail(to: Addressee, email: string, link: string): MailContent {
  return emailContent({
    subject: en`Your email address was changed`,
    to,
    body: en`The email address of your account is now ${{ email }}, confirmed from both addresses. Sessions were signed out, and earlier links to reset the password no longer work.`,
    action: en`Go to the service`,
    link,
    footer: en`If it was not you, write to the operators of the service.`,
  });
}
