import { PasswordInput, type PasswordInputProps, Progress, Text } from '@mantine/core';
import { type Owner, passwordStrength } from '../../lib/password-strength.ts';

interface NewPasswordProps extends PasswordInputProps {
  readonly value?: string;
  /** Whose name and address do not belong into the password; undefined where it is not known. */
  readonly owner?: Owner | undefined;
}

const colors = ['red.6', 'red.6', 'yellow.7', 'pine', 'pine'];

const refused = { score: 1, word: 'Choose another password' };

/** A field for a password to be, with how strong it is. */
export function NewPassword({ owner, value = '', ...field }: NewPasswordProps) {
  // What the service refused is not praised next to the refusal.
  const { score, word } = field.error ? refused : passwordStrength(value, owner);
  return (
    <div>
      <PasswordInput {...field} value={value} autoComplete="new-password" />
      <Progress
        value={value === '' ? 0 : Math.max(8, score * 25)}
        size={4}
        mt={8}
        color={colors[score] ?? 'pine'}
        aria-label="Password strength"
        transitionDuration={200}
      />
      <Text size="xs" c="dimmed" mt={4} aria-live="polite">
        {value === ''
          ? 'At least 8 characters; a few words work well.'
          : `${word}.${score < 3 ? ' Longer is stronger.' : ''}`}
      </Text>
    </div>
  );
}
