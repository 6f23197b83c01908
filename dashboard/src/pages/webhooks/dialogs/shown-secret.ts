import type { SecretKind } from '../../../components/overlays/secret-dialog.tsx';

export const shownSecret: SecretKind = {
  what: 'secret',
  label: 'Secret',
  notice: 'This secret is shown only once. Your server uses it to verify that requests come from this service.',
};
