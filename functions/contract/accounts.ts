import * as v from 'valibot';
import { accountId, email, instant, text } from './fields.ts';

/** Passwords have 8 to 128 characters (design section 10). */
const newPassword = text(128, 8);

export const Registration = v.object({ email, name: text(200), password_hash: newPassword }, 'must be a JSON object');
export const Login = v.object({ email: text(254), password: text(1024) }, 'must be a JSON object');
export const TokenQuery = v.object({ token: text(200) }, 'must have a token');

/** The spec's User; `viewer` is a new account's role. */
export const User = v.object({ id: accountId, email: v.string(), name: v.string(), role: v.string() });
export const LoginUser = v.object({ ...User.entries, isSubscribe: v.boolean() });
export const CurrentUser = v.object({ ...LoginUser.entries, created_at: instant });
