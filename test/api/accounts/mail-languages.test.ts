import { expect, it } from 'vitest';
import { languages } from '#contract/accounts/preferences.ts';
import { rowsOf } from '#test/database/rows.ts';
import { seed } from '#test/many.ts';
import { authCalls } from '#test/requests/accounts/auth-calls.ts';
import { mailsTo, tokenIn } from '#test/requests/accounts/inbox.ts';
import { code, cookieOf, useTestService } from '#test/service/service.ts';

const service = useTestService();
const { post, reset, forgot } = authCalls(() => service);

const drawn = Object.keys(languages)[1 + (seed % 4)] ?? 'de';
console.log(`language of seed ${seed}: ${drawn}`);

const subjects: Record<string, readonly string[]> = {
  de: ['Ihr Passwort wurde geändert', 'Setzen Sie Ihr Passwort zurück', 'Bestätigen Sie Ihre E-Mail-Adresse'],
  es: ['Su contraseña se ha cambiado', 'Restablezca su contraseña', 'Confirme su dirección de correo'],
  ja: ['パスワードが変更されました', 'パスワードを再設定してください', 'メールアドレスを確認してください'],
  ar: ['تم تغيير كلمة المرور', 'أعد تعيين كلمة المرور', 'أكّد عنوان بريدك الإلكتروني'],
};

it.each([...new Set([drawn, 'ar'])])(
  'the emails about registration and password are in the language of the account, and leave no link: %s',
  async (language) => {
    const email = `mail-${language}@example.com`;
    const newest = async () => (await mailsTo(service, email))[0];
    const registered = await post('register', { email, name: 'Ada', password_hash: 'a quiet river bank', language });
    const confirmation = await newest();
    expect(confirmation?.html).toContain(`<html lang="${language}"${language === 'ar' ? ' dir="rtl"' : ''}>`);
    const link = `/api/auth/confirm?token=${tokenIn(confirmation)}`;
    expect(confirmation?.html).toContain(`token=${tokenIn(confirmation)}"`);
    expect((await service.call('GET', link, { cookie: cookieOf(registered) })).status).toBe(200);
    await forgot(email);
    expect(code(await reset(tokenIn(await newest())))).toBe('200 PASSWORD_RESET_SUCCESS');
    const expected = subjects[language]?.toSorted();
    expect((await mailsTo(service, email)).map(({ subject }) => subject).toSorted()).toEqual(expected);
    const rows = (await rowsOf('accounts')).filter((row) => row['to'] === email);
    expect(rows.map((row) => String(row['subject'])).toSorted()).toEqual(expected);
    expect(JSON.stringify(rows)).not.toMatch(/token=|letter/);
  },
);

it('a change of language applies to the next email, and to both emails of an address change', async () => {
  const { email, cookie, password } = await service.person();
  await service.call('PATCH', '/api/auth/me', { cookie, body: { language: drawn } });
  const next = `next-${email}`;
  expect(code(await post('email-change', { email: next, password }, cookie))).toMatch(/^20\d /);
  for (const address of [email, next]) expect((await mailsTo(service, address))[0]?.html).toContain(`lang="${drawn}"`);
});
