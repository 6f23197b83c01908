import { ActionIcon, Group, Progress, Text, Tooltip, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../../../components/elements/icon.tsx';
import { Panel } from '../../../components/layout/panel.tsx';
import { rescueFocus } from '../../../lib/rescue-focus.ts';
import { ConfirmText } from './confirm-text.tsx';
import { FirstCall } from './first-call.tsx';
import css from './first-steps.module.css';
import { StepButton } from './step-button.tsx';
import { type StepId, stepIds } from './steps.ts';
import type { FirstSteps } from './use-first-steps.ts';

const steps: Readonly<Record<StepId, { readonly title: string; readonly text: ReactNode; readonly more?: ReactNode }>> =
  {
    confirm: { title: 'Confirm your email', text: <ConfirmText /> },
    key: { title: 'Create an API key', text: 'Your programs use it to call the API.' },
    call: {
      title: 'Make your first call',
      text: 'From your own program, or in the playground.',
      more: <FirstCall />,
    },
    plan: {
      title: 'Choose a plan',
      text: 'Freemium has 100 credits per month. Larger plans have more, and unused credits roll over.',
    },
  };

/** From a new account to one in use: what is done, and one button for each thing that is not. */
export default function FirstStepsPanel({ done, dismiss }: Pick<FirstSteps, 'done' | 'dismiss'>) {
  const next = stepIds.find((id) => !done.has(id));

  function hide(): void {
    dismiss();
    rescueFocus();
  }

  return (
    <Panel
      title="First steps"
      aside={
        <Group gap="xs">
          <Text size="sm" c="dimmed" className="number">
            {done.size} of {stepIds.length} done
          </Text>
          <Tooltip label="Dismiss">
            <ActionIcon variant="subtle" color="gray" aria-label="Dismiss first steps" onClick={hide}>
              <Icon name="close" />
            </ActionIcon>
          </Tooltip>
        </Group>
      }
    >
      <Progress value={(100 * done.size) / stepIds.length} size={6} mb="md" aria-label="First steps done" />
      <ol className={css.steps}>
        {stepIds.map((id) => (
          <Step key={id} id={id} isDone={done.has(id)} isNext={id === next} />
        ))}
      </ol>
    </Panel>
  );
}

function Step({ id, isDone, isNext }: { id: StepId; isDone: boolean; isNext: boolean }) {
  const { title, text, more } = steps[id];
  return (
    <li className={css.step} aria-current={isNext ? 'step' : undefined}>
      <span className={isDone ? css.tick : css.open}>{isDone && <Icon name="check" size={14} />}</span>
      <div>
        <Text fw={600} {...(isDone && { c: 'dimmed' })}>
          {title}
          {isDone && <VisuallyHidden> (done)</VisuallyHidden>}
        </Text>
        {!isDone && (
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        )}
      </div>
      {!isDone && <StepButton id={id} isNext={isNext} />}
      {!isDone && more && <div className={css.more}>{more}</div>}
    </li>
  );
}
