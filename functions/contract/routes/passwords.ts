import { ForgottenPassword, PasswordChange, PasswordReset } from '../accounts/accounts.ts';
import { defineRoute, type Route } from '../http/route.ts';

/** scrypt at N=2^17 uses 128 MiB and a third of a second on one core. Lambda's CPU share grows with memory. */
export const hashing = { memoryMb: 1024 } as const;

export const passwordRoutes = {
  forgotPassword: defineRoute({
    id: 'forgot-password',
    method: 'POST',
    path: '/api/auth/forgot-password',
    summary: 'Request a link to reset the password',
    note: 'The link is mailed if there is an account with the address; the response is the same either way.',
    credential: 'none',
    bodyInput: ForgottenPassword,
    success: { status: 200, message: 'RESET_LINK_SENT' },
    refusals: ['RATE_LIMIT_EXCEEDED'],
    uses: { tables: { accounts: 'write' } },
  }),
  resetPassword: defineRoute({
    id: 'reset-password',
    method: 'POST',
    path: '/api/auth/reset-password',
    summary: 'Set a new password',
    note: 'Send the token from the link. All sessions, known devices and earlier links end.',
    credential: 'none',
    bodyInput: PasswordReset,
    success: { status: 200, message: 'PASSWORD_RESET_SUCCESS' },
    refusals: ['INVALID_TOKEN', 'INVALID_CREDENTIALS', 'SECOND_FACTOR_REQUIRED', 'RATE_LIMIT_EXCEEDED'],
    uses: { tables: { accounts: 'delete' } },
    ...hashing,
  }),
  changePassword: defineRoute({
    id: 'change-password',
    method: 'POST',
    path: '/api/auth/change-password',
    summary: 'Change the password',
    note: 'Send the current password or an identity token. All other sessions, known devices and earlier links end.',
    credential: 'session',
    access: 'person',
    bodyInput: PasswordChange,
    refusals: ['INVALID_CREDENTIALS', 'INVALID_IDENTITY_TOKEN', 'INVALID_STATE', 'RATE_LIMIT_EXCEEDED'],
    opensSession: true,
    uses: { tables: { accounts: 'delete', meters: 'read' }, identityProvider: true },
    ...hashing,
  }),
} as const satisfies Record<string, Route>;
