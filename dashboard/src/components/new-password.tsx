import { PasswordInput, type PasswordInputProps, Progress, Text } from '@mantine/core';
import { passwordStrength } from '../lib/password-strength.ts';

interface NewPasswordProps extends PasswordInputProps {
  readonly value?: string;
  /** Name and address, which do not belong into a password. */
  readonly personal: readonly string[];
}

const colours = ['red.6', 'red.6', 'yellow.7', 'pine', 'pine'];

/** A field for a password to be, with how strong it is. */
export function NewPassword({ personal, value = '', ...field }: NewPasswordProps) {
  const { score, word } = passwordStrength(value, personal);
  return (
    <div>
      <PasswordInput {...field} value={value} autoComplete="new-password" />
      <Progress
        value={value === '' ? 0 : Math.max(8, score * 25)}
        size={4}
        mt={8}
        color={colours[score] ?? 'pine'}
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
