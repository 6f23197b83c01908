import { en } from '../shared/phrases.ts';
import { type Addressee, emailContent, type MailContent } from './mail-layout.ts';

export function confirmationMail(to: Addressee, link: string): MailContent {
  return emailContent({
    subject: en`Confirm your email address`,
    to,
    body: en`Please confirm your email address to activate your account. The link works for 24 hours.`,
    action: en`Confirm address`,
    link,
    footer: en`If you did not register, you can ignore this email: without confirmation the account cannot be used.`,
  });
}

export function resetMail(to: Addressee, link: string): MailContent {
  return emailContent({
    subject: en`Reset your password`,
    to,
    body: en`Somebody, most likely you, requested a password reset for your account. The link works once and for 30 minutes.`,
    action: en`Choose a new password`,
    link,
    footer: en`If it was not you, you can ignore this email: your password stays as it is.`,
  });
}

export function passwordChangedMail(to: Addressee, link: string): MailContent {
  return emailContent({
    subject: en`Your password was changed`,
    to,
    body: en`The password of your account was changed just now, and other devices were signed out.`,
    action: en`That was not me`,
    link,
    footer: en`If it was you, there is nothing to do.`,
  });
}

export function accountDeletedMail(to: Addressee, link: string): MailContent {
  return emailContent({
    subject: en`Your account was deleted`,
    to,
    body: en`Your account was deleted: its keys stopped working immediately, and its data will be purged in 30 days.`,
    action: en`Go to the service`,
    link,
    footer: en`If it was not you, write to the operators of the service within these 30 days.`,
  });
}
