import { isLanguage } from '#contract/accounts/languages.ts';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { chooseLanguage } from '../lib/texts.ts';
import { call } from './call.ts';

/** The account keeps the choice for other browsers. Without a response, only this browser keeps it. */
export async function chooseAccountLanguage(id: string): Promise<void> {
  if (isLanguage(id)) await call(accountRoutes.changeProfile, { body: { language: id } }).catch(() => undefined);
  chooseLanguage(id);
}
