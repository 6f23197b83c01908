import type { SecretKind } from '../../../components/overlays/secret-dialog.tsx';

export const shownSecret: SecretKind = {
  what: 'secret',
  label: 'Secret',
  notice: 'This secret is shown only once. Your server verifies with it that requests come from here.',
};
