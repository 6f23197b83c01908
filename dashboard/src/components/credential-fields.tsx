import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { PasswordInput, type PasswordInputProps, Progress, Text, TextInput, type TextInputProps } from '@mantine/core';
import { isOfOwner, isPredictable } from '#contract/accounts/guessable-password.ts';

interface NewPasswordProps extends PasswordInputProps {
  readonly value?: string;
  /** Account owner, whose name and address make a password weak. Undefined if unknown. */
  readonly owner?: Owner | undefined;
}

const colors = ['red.6', 'red.6', 'yellow.7', 'pine', 'pine'];

const refused = { score: 1, word: msg`Choose another password.` };

/** A field for a new password, with its strength. */
export function NewPassword({ owner, value = '', ...field }: NewPasswordProps) {
  // Do not praise a password that the service refused.
  const { score, word } = field.error ? refused : passwordStrength(value, owner);
  return (
    <div>
      <PasswordInput {...field} value={value} autoComplete="new-password" />
      <Progress
        value={value === '' ? 0 : Math.max(8, score * 25)}
        size={4}
        mt={8}
        color={colors[score] ?? 'pine'}
        aria-label={t`Password strength`}
        transitionDuration={200}
      />
      <Text size="xs" c="dimmed" mt={4} aria-live="polite">
        {value === ''
          ? t`At least 8 characters; a few words work well.`
          : `${i18n._(word)}${score < 3 ? ` ${t`Longer is stronger.`}` : ''}`}
      </Text>
    </div>
  );
}

/** Owner of the password, as far as known. */
export interface Owner {
  readonly email: string;
  readonly name: string;
}

interface Strength {
  /** 0 (too short) to 4. */
  readonly score: number;
  readonly word: MessageDescriptor;
}

const words = [msg`Too short.`, msg`Weak.`, msg`Fair.`, msg`Good.`, msg`Strong.`] as const;
const sequences = /(.)\1{2,}|0123|1234|2345|3456|4567|5678|6789|abcd|qwer|asdf|password|letmein/i;

/** Estimates the strength while typing. Applies the service's rules, except its list of common passwords. */
function passwordStrength(password: string, owner: Owner = { email: '', name: '' }): Strength {
  if (password.length < 8) return { score: 0, word: words[0] };
  if (isOfOwner(password, owner) || isPredictable(password)) return { score: 1, word: msg`Too easy to guess.` };
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(password)).length;
  const distinct = new Set(password).size;
  const points = [password.length >= 12, password.length >= 16, kinds >= 3, distinct >= 9];
  const penalty = (hasPersonal(password, owner) ? 2 : 0) + (sequences.test(password) ? 1 : 0);
  const score = Math.max(1, Math.min(4, 1 + points.filter(Boolean).length - penalty));
  return { score, word: words[score] ?? words[4] };
}

function hasPersonal(password: string, { email, name }: Owner): boolean {
  const parts = [email.split('@')[0] ?? '', name].map((part) => part.trim().toLowerCase());
  return parts.some((part) => part.length > 3 && password.toLowerCase().includes(part));
}

/** A code of the app has six digits. Everything else is a recovery code. */
export function factorOf(factor: string) {
  const code = factor.replaceAll(/\s/g, '');
  return /^\d{6}$/.test(code) ? { code } : { recoveryCode: factor };
}

/** A field for the code of an account with two-step sign-in. */
export function FactorField(field: TextInputProps) {
  return (
    <TextInput
      label={t`Code`}
      description={t`From your authenticator app, or a recovery code`}
      autoComplete="one-time-code"
      {...field}
    />
  );
}
