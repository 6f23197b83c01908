import { type Addressee, letter, type MailContent } from '../mails/letter.ts';

/** Whoever has the address may not be who requested the change: the mail names nobody, and nothing that they chose. */
const somebody: Addressee = { name: '' };

/** To the new address. */
export function newAddressMail(link: string): MailContent {
  return letter({
    subject: 'Confirm your new email address',
    to: somebody,
    body: 'Somebody, most likely you, wants to use this address for their account. It changes once this link and the one that went to the present address are both confirmed. The link works for 24 hours.',
    action: 'Confirm or refuse',
    link,
    footer: 'If it was not you, ignore this mail or refuse: without you nothing changes.',
  });
}

/** To the new address, where it has an account; its owner learns it, nobody else. */
export function addressTakenMail(link: string): MailContent {
  return letter({
    subject: 'Your email address has an account already',
    to: somebody,
    body: 'Somebody wanted to use this address for another account. As it has an account already, nothing changes.',
    action: 'Sign in',
    link,
    footer:
      'If it was you, sign in with this address, or delete that account first. If it was not, there is nothing to do.',
  });
}

/** To the current address. */
export function agreementMail(to: Addressee, email: string, link: string): MailContent {
  return letter({
    subject: 'Confirm the change of your email address',
    to,
    body: `Somebody who is signed in to your account, most likely you, wants to change its email address to ${email}. It changes once this link and the one that went to the new address are both confirmed. The link works for 24 hours.`,
    action: 'Confirm or refuse',
    link,
    footer: 'If it was not you, refuse, and choose another password: somebody else can sign in to your account.',
  });
}

/** To both addresses, when it is done. */
export function emailChangedMail(to: Addressee, email: string, link: string): MailContent {
  return letter({
    subject: 'Your email address was changed',
    to,
    body: `The email address of your account is now ${email}, confirmed from both addresses. Sessions were signed out, and earlier links to reset the password no longer work.`,
    action: 'Go to the service',
    link,
    footer: 'If it was not you, write to the operators of the service.',
  });
}
