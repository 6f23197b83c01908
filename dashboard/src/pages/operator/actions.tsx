import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import {
  ActionIcon,
  Button,
  type ButtonProps,
  Group,
  Modal,
  Select,
  Stack,
  Text,
  Textarea,
  Tooltip,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { GenericSchema } from 'valibot';
import { planAt, type PlanName } from '#contract/billing/plans.ts';
import { CreditGrant, OperatorAction, PlanAssignment } from '#contract/operators/operators.ts';
import { operatorRoutes } from '#contract/routes/operators.ts';
import { useOnce } from '../../api/actions.ts';
import { perform } from '../../api/call.ts';
import { type ApiForm, type Form, useApiForm } from '../../api/form.ts';
import type { KeyRecord } from '../../api/keys.ts';
import { useMe } from '../../api/reads.ts';
import { Icon } from '../../components/icon.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
import { WholeNumberField } from '../../components/whole-number-field.tsx';
import { suspensionText } from './account-overview.tsx';
import { planChoices } from './accounts.tsx';
import { type Account, grantText, suspendKeyText } from './words.ts';

export function ActionButtons({ account }: { account: Account }) {
  const { data: me } = useMe();
  if (account.status === 'deleted') return null;
  if (account.id === me?.id)
    return (
      <Text size="sm" c="dimmed">
        <Trans>This is your account. Only another operator can change it.</Trans>
      </Text>
    );
  return (
    <Group gap="xs">
      <GrantCredits account={account} />
      <AssignPlan account={account} />
      {account.status === 'suspended' ? <Resume account={account} /> : <Suspend account={account} />}
    </Group>
  );
}

const danger = { variant: 'outline', color: 'red.8', style: { color: 'var(--danger-ink)' } } as const;

function Suspend({ account }: { account: Account }) {
  const { id, email } = account;
  const path = { id: String(id) };
  return (
    <Action
      button={(open) => <ActionButton label={t`Suspend`} onClick={open} {...danger} />}
      title={t`Suspend account?`}
      text={suspensionText(account)}
      initial={{}}
      schema={OperatorAction}
      action={t`Suspend account`}
      isDanger
      send={(body, idempotencyKey) => perform(operatorRoutes.suspendAccount, { path, body }, { idempotencyKey })}
      done={t`${email} is suspended.`}
    />
  );
}

function Resume({ account: { id, email } }: { account: Account }) {
  const path = { id: String(id) };
  return (
    <Action
      button={(open) => <ActionButton label={t`Resume`} onClick={open} />}
      title={t`Resume account?`}
      text={t`API keys of ${email} work again, and its owner can sign in. Ended sessions are not restored.`}
      initial={{}}
      schema={OperatorAction}
      action={t`Resume account`}
      send={(body, idempotencyKey) => perform(operatorRoutes.resumeAccount, { path, body }, { idempotencyKey })}
      done={t`${email} is resumed.`}
    />
  );
}

interface SuspendKeyProps {
  readonly account: Account;
  readonly apiKey: KeyRecord;
}

export function SuspendKey({ account, apiKey }: SuspendKeyProps) {
  const { data: me } = useMe();
  const { id: keyId, name, status } = apiKey;
  const text = suspendKeyText(apiKey);
  if (text === undefined || account.status === 'deleted' || account.id === me?.id) return null;
  const path = { id: String(account.id), keyId };
  const label = status === 'suspended' ? t`Suspend ${name} permanently` : t`Suspend ${name}`;
  return (
    <Action
      button={(open) => (
        <Tooltip label={label}>
          <ActionIcon variant="subtle" color="gray" size="lg" onClick={open} aria-haspopup="dialog" aria-label={label}>
            <Icon name="pause" />
          </ActionIcon>
        </Tooltip>
      )}
      title={t`Suspend “${name}”?`}
      text={text}
      initial={{}}
      schema={OperatorAction}
      action={t`Suspend key`}
      isDanger
      send={(body, idempotencyKey) => perform(operatorRoutes.suspendKey, { path, body }, { idempotencyKey })}
      done={t`“${name}” is suspended.`}
    />
  );
}

function AssignPlan({ account: { id, email, plan } }: { account: Account }) {
  const path = { id: String(id) };
  const initial: { planId: PlanName } = { planId: planChoices.find(({ value }) => value === plan)?.value ?? planAt(0) };
  return (
    <Action
      button={(open) => <ActionButton label={t`Assign plan`} onClick={open} />}
      title={t`Assign a plan?`}
      text={t`A different plan starts a new billing month for ${email} now, with its credits and limits. The plan that the account already has continues its current month: nothing is granted, and a cancellation or downgrade is undone. An assigned plan is not charged.`}
      initial={initial}
      schema={PlanAssignment}
      labels={{ planId: t`Plan` }}
      fields={(form) => (
        <Select
          label={t`Plan`}
          data={planChoices}
          allowDeselect={false}
          data-autofocus
          {...form.getInputProps('planId')}
        />
      )}
      action={t`Assign plan`}
      send={(body, idempotencyKey) => perform(operatorRoutes.assignPlan, { path, body }, { idempotencyKey })}
      done={t`Plan assigned to ${email}.`}
    />
  );
}

/** An empty string is invalid, so the field is required. */
const noCredits: { credits: number | string } = { credits: '' };

function GrantCredits({ account }: { account: Account }) {
  const { id, email } = account;
  const path = { id: String(id) };
  return (
    <Action
      button={(open) => <ActionButton label={t`Grant credits`} onClick={open} />}
      title={t`Grant credits?`}
      text={grantText(account)}
      initial={noCredits}
      schema={CreditGrant}
      labels={{ credits: t`Credits` }}
      fields={(form) => (
        <WholeNumberField
          label={t`Credits`}
          description={t`Whole credits, at most 1,000,000`}
          required
          data-autofocus
          value={form.values.credits}
          error={form.errors['credits']}
          onChange={(credits) => form.setFieldValue('credits', credits)}
          data-path="credits"
        />
      )}
      action={t`Grant credits`}
      send={({ credits, reason }, idempotencyKey) =>
        perform(operatorRoutes.grantCredits, { path, body: { credits: Number(credits), reason } }, { idempotencyKey })
      }
      done={t`Credits were granted to ${email}.`}
    />
  );
}

function ActionButton({ label, onClick, ...props }: ButtonProps & { label: string; onClick: () => void }) {
  return (
    <Button variant="default" onClick={onClick} aria-haspopup="dialog" {...props}>
      {label}
    </Button>
  );
}

interface ActionProps<Values extends Record<string, unknown>> {
  readonly button: (open: () => void) => ReactNode;
  readonly title: string;
  /** Explains the effect. */
  readonly text: string;
  readonly initial: Values;
  readonly schema: GenericSchema;
  /** Labels of `fields`. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly fields?: (form: Form<Values & { reason: string }>) => ReactNode;
  /** Label of the submit button. */
  readonly action: string;
  readonly isDanger?: boolean;
  readonly send: (values: Values & { reason: string }, idempotencyKey: string) => Promise<unknown>;
  /** Notification on success. */
  readonly done: string;
}

/** A button whose dialog confirms the action and requires a reason. */
function Action<Values extends Record<string, unknown>>({ button, title, ...props }: ActionProps<Values>) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      {button(open)}
      <Modal opened={isOpen} onClose={close} title={title}>
        <ActionForm {...props} onClose={close} />
      </Modal>
    </>
  );
}

type ActionFormProps<Values extends Record<string, unknown>> = Omit<ActionProps<Values>, 'button' | 'title'> & {
  readonly onClose: () => void;
};

const { getAccount, listAccountEntries, listAccountKeys, listAccountMails, listAuditEvents } = operatorRoutes;
const reads = [getAccount, listAccountEntries, listAccountKeys, listAccountMails, listAuditEvents];

function ActionForm<Values extends Record<string, unknown>>(props: ActionFormProps<Values>) {
  const { text, initial, schema, labels, fields, action, isDanger = false, send, done, onClose } = props;
  const once = useOnce();
  const { form, submit, isRunning, error }: ApiForm<Values & { reason: string }> = useApiForm({
    initial: { ...initial, reason: '' },
    schema,
    labels: { ...labels, reason: t`Reason` },
    act: (values) => once(values, (key) => send(values, key)),
    onDone: () => {
      notify({ message: done });
      onClose();
    },
    invalidates: reads,
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm">{text}</Text>
        {fields?.(form)}
        <Textarea
          label={t`Reason`}
          description={t`Saved in the audit trail. A person can read it in a download of their account’s data. Write a ticket number, not personal data.`}
          required
          autosize
          minRows={2}
          maxRows={6}
          data-autofocus={fields ? undefined : true}
          {...form.getInputProps('reason')}
        />
        {error && <ErrorNotice error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" loading={isRunning} {...(isDanger && { color: 'red.8' })}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
