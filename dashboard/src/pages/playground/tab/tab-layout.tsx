import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Accordion, Text, Textarea, type TextareaProps } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Panel } from '../../../components/page.tsx';
import css from './tab.module.css';
import { PlainText } from './text.tsx';

interface TabLayoutProps {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly parameters: ReactNode;
  /** Request and response of the last call. */
  readonly details: ReactNode;
  /** True if the content also needs the width of the parameters. */
  readonly isBroad?: boolean;
}

const besideFrom = { usual: '(min-width: 75em)', broad: '(min-width: 105em)' } as const;

/** Layout of a tab: input and output, with the parameters next to them and the request's details below. */
export function TabLayout(props: TabLayoutProps) {
  const { title, actions, children, parameters, details, isBroad = false } = props;
  const from = besideFrom[isBroad ? 'broad' : 'usual'];
  const isWide = useMediaQuery(from, true, { getInitialValueInEffect: false });
  return (
    <div className={[css.tab, isWide && css.wide].filter(Boolean).join(' ')}>
      <div className={css.work}>
        <Panel title={title} aside={actions}>
          {children}
        </Panel>
        {!isWide && (
          <Accordion variant="contained">
            <Accordion.Item value="parameters">
              <Accordion.Control>
                <Trans>Parameters</Trans>
              </Accordion.Control>
              <Accordion.Panel>{parameters}</Accordion.Panel>
            </Accordion.Item>
          </Accordion>
        )}
        {details}
      </div>
      {isWide && <Panel title={t`Parameters`}>{parameters}</Panel>}
    </div>
  );
}

interface InputTextProps extends Pick<TextareaProps, 'error'> {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** A field for a model's input, which must not be blank. */
export function InputText({ error, value, onChange, ...props }: InputTextProps) {
  return (
    <Textarea
      {...props}
      error={error || (value.trim() === '' && t`Enter some text`)}
      value={value}
      autosize
      minRows={4}
      maxRows={14}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

interface OutputTextProps {
  readonly label: string;
  readonly text: string;
  readonly finishReason?: string | undefined;
  readonly isRunning: boolean;
}

/** A model's output, displayed as it arrives. */
export function OutputText({ label, text, finishReason, isRunning }: OutputTextProps) {
  return (
    <section aria-label={label} aria-busy={isRunning} aria-live="polite" className={css.output}>
      <Text size="sm" fw={500} mb={4}>
        {label}
        {finishReason !== undefined && (
          <Text component="span" size="xs" c="dimmed" ms="xs">
            {`finish_reason: ${finishReason}`}
          </Text>
        )}
      </Text>
      <PlainText isStreaming={isRunning}>
        {text}
        {text === '' && !isRunning && (
          <Text component="span" c="dimmed">
            <Trans>The output appears here.</Trans>
          </Text>
        )}
      </PlainText>
    </section>
  );
}
