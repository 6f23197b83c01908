import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg, plural, t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { Badge, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { type Analysis, labelLimits, maxAnalysisCharacters } from '#contract/analysis/analysis.ts';
import { type AnalysisName, analysisNames } from '#contract/analysis/names.ts';
import { prices } from '#contract/billing/prices.ts';
import { offer } from '#contract/offer/current-offer.ts';
import { analysisRoutes } from '#contract/routes/analysis.ts';
import { GetCodeButton } from '../../components/get-code-button.tsx';
import { creditCount, formatAbout, formatWhole } from '../../lib/format.ts';
import { useExchange } from './exchange/use-exchange.ts';
import css from './playground.module.css';
import { LanguageSelect, languageTitle } from './tab/language-select.tsx';
import { ExchangeNotices, Inspector, InputText, TabLayout } from './tab/tab-layout.tsx';
import { PlainText } from './tab/text.tsx';

const example = msg`I bought the Aurora 5 in Oslo on 3 May 2026. The battery is superb, but the strap broke after two weeks.
Please write to Ada Lovelace at ada@example.com, or call +44 20 7946 0958.`;

const titles: Readonly<Record<AnalysisName, MessageDescriptor>> = {
  sentiment: msg`Sentiment`,
  entities: msg`Entities`,
  key_phrases: msg`Key phrases`,
  language: msg`Language`,
  pii: msg`Personal data`,
  categories: msg`Categories`,
};

export function AnalysisTab() {
  const exchange = useExchange();
  const [text, setText] = useState(() => i18n._(example));
  const [analyses, setAnalyses] = useState<readonly AnalysisName[]>(['sentiment', 'entities', 'pii', 'categories']);
  const [labelText, setLabelText] = useState(() => t`delivery, quality, price`);
  const [language, setLanguage] = useState<string | null>(null);
  const [result, setResult] = useState<{ text: string; analysis: Analysis }>();

  const hasCategories = analyses.includes('categories');
  const labels = [...new Set(labelText.split(/[,،、，]/u).map((label) => label.trim()))].filter(Boolean);
  const labelError = hasCategories && labelProblem(labels);
  const characters = Array.from(text).length;
  const isTooLong = characters > maxAnalysisCharacters;
  const body = {
    text,
    analyses: [...analyses],
    ...(hasCategories && { labels }),
    ...(language !== null && { language }),
  };

  async function analyze(): Promise<void> {
    // The marks are placed by JavaScript string offsets.
    const sent = { ...body, offsetUnit: 'utf16' as const };
    const analysis = await exchange.call(analysisRoutes.analyze, { body: sent });
    setResult(analysis && { text, analysis });
  }

  const { credits } = prices.text_analysis;
  const parameters = (
    <Stack>
      <Text size="sm" c="dimmed">
        {plural(credits, {
          one: `${credits} credit per request, for any number of analyses.`,
          other: `${credits} credits per request, for any number of analyses.`,
        })}
      </Text>
      <LanguageSelect value={language} onChange={setLanguage} />
    </Stack>
  );

  return (
    <TabLayout
      title={t`Text analysis`}
      actions={<GetCodeButton request={() => ({ kind: 'analysis', body })} />}
      parameters={parameters}
      details={<Inspector exchange={exchange} />}
    >
      <InputText
        label={t`Text`}
        error={isTooLong && t`Enter at most ${{ limit: formatWhole(maxAnalysisCharacters) }} characters`}
        value={text}
        onChange={setText}
      />
      <Checkbox.Group
        label={t`Analyses`}
        mt="md"
        error={analyses.length === 0 && t`Select at least one analysis`}
        value={[...analyses]}
        onChange={(names) => setAnalyses(analysisNames.filter((name) => names.includes(name)))}
      >
        <Group gap="md" mt="xs">
          {analysisNames.map((name) => (
            <Checkbox key={name} value={name} label={i18n._(titles[name])} />
          ))}
        </Group>
      </Checkbox.Group>
      {hasCategories && (
        <TextInput
          label={t`Category labels (comma-separated)`}
          mt="md"
          error={labelError}
          value={labelText}
          onChange={(event) => setLabelText(event.currentTarget.value)}
        />
      )}
      <Group my="md">
        <Button
          loading={exchange.isRunning}
          disabled={text.trim() === '' || isTooLong || analyses.length === 0 || labelError !== false}
          onClick={() => void analyze()}
        >
          <Trans>Analyze</Trans>
        </Button>
        {result && (
          <Text size="sm" c="dimmed">
            {creditCount(result.analysis.credits)}
          </Text>
        )}
      </Group>
      <ExchangeNotices exchange={exchange} model={offer.uses.analysis ?? ''} onRetry={() => void analyze()} />
      <div role="status">{result && <Findings {...result} />}</div>
    </TabLayout>
  );
}

function labelProblem(labels: readonly string[]): string | false {
  const { min, max, characters } = labelLimits;
  if (labels.length < min || labels.length > max) return t`Enter ${min} to ${max} different labels`;
  return (
    labels.some((label) => Array.from(label).length > characters) && t`Enter labels of at most ${characters} characters`
  );
}

const colors = { positive: 'pine', negative: 'red', neutral: 'gray', mixed: 'yellow' } as const;
const sentiments = {
  positive: msg`positive`,
  negative: msg`negative`,
  neutral: msg`neutral`,
  mixed: msg`mixed`,
} as const;

interface FindingsProps {
  readonly text: string;
  readonly analysis: Analysis;
}

function Findings({ text, analysis }: FindingsProps) {
  const { sentiment, language, categories, keyPhrases, redactedText, unlocated } = analysis;
  const phrases = [...new Set(keyPhrases?.map((phrase) => phrase.text))];
  return (
    <>
      <dl className={css.facts}>
        {sentiment && (
          <Fact name={i18n._(titles.sentiment)}>
            <Badge color={colors[sentiment.label]}>
              {withScore(i18n._(sentiments[sentiment.label]), sentiment.score)}
            </Badge>
          </Fact>
        )}
        {language && (
          <Fact name={i18n._(titles.language)}>
            <Badge color="gray">{withScore(languageTitle(language.code), language.score)}</Badge>
          </Fact>
        )}
        {categories && (
          <Fact name={i18n._(titles.categories)}>
            <Badges labels={categories.map(({ label, score }) => withScore(label, score))} />
          </Fact>
        )}
        {keyPhrases && (
          <Fact name={i18n._(titles.key_phrases)}>
            <Badges labels={phrases} />
          </Fact>
        )}
      </dl>
      {(analysis.entities ?? analysis.pii) && <MarkedText text={text} analysis={analysis} />}
      {redactedText !== undefined && (
        <section aria-label={t`Redacted text`}>
          <Text size="sm" fw={500} mb={4}>
            <Trans>Redacted text</Trans>
          </Text>
          <PlainText>{redactedText}</PlainText>
        </section>
      )}
      {unlocated > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          <Plural
            value={unlocated}
            one="# result could not be located in the text"
            other="# results could not be located in the text"
          />
        </Text>
      )}
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Badges({ labels }: { readonly labels: readonly string[] }) {
  if (labels.length === 0) return <Text size="sm">{t({ message: 'None', context: 'Findings' })}</Text>;
  return labels.map((label) => (
    <Badge key={label} color="gray" maw="100%" miw={0} h="auto" style={{ whiteSpace: 'normal' }}>
      {label}
    </Badge>
  ));
}

interface MarkedTextProps {
  readonly text: string;
  readonly analysis: Pick<Analysis, 'entities' | 'pii'>;
}

/** The analyzed text with its entities highlighted and its personal data struck through, each labeled with its type. */
function MarkedText({ text, analysis }: MarkedTextProps) {
  return (
    <section aria-label={t`Marked text`} className={css.marked}>
      <Text size="sm" fw={500} mb={4}>
        <Trans>Marked text</Trans>
      </Text>
      <div className={css.text} dir="auto">
        {piecesOf(text, analysis).map((piece) => (
          <PieceView key={piece.start} piece={piece} />
        ))}
      </div>
    </section>
  );
}

function PieceView({ piece }: { readonly piece: Piece }) {
  const { text, entity, personalData, endsEntity, endsPersonalData } = piece;
  const words = personalData ? (
    <del className={css.personal}>
      {text}
      {endsPersonalData && <span className={css.name}>{personalData.type}</span>}
    </del>
  ) : (
    text
  );
  if (!entity) return words;
  const isNamed = endsPersonalData && personalData?.type === entity.type;
  return (
    <mark className={css.entity}>
      {words}
      {endsEntity && !isNamed && <span className={css.name}>{withScore(entity.type, entity.score)}</span>}
    </mark>
  );
}

type Entity = NonNullable<Analysis['entities']>[number];
type PersonalData = NonNullable<Analysis['pii']>[number];

/** A piece of text that contains no mark boundary. `ends…` is true if the mark ends here and its label follows. */
interface Piece {
  readonly start: number;
  readonly text: string;
  readonly entity?: Entity | undefined;
  readonly personalData?: PersonalData | undefined;
  readonly endsEntity: boolean;
  readonly endsPersonalData: boolean;
}

/**
 * Splits a text at its entities and personal data, by UTF-16 offsets. Of overlapping entities only the longest is
 * marked.
 */
function piecesOf(text: string, { entities = [], pii = [] }: Pick<Analysis, 'entities' | 'pii'>): Piece[] {
  const shown = withoutOverlaps(entities);
  const borders = [0, text.length, ...[...shown, ...pii].flatMap(({ start, end }) => [start, end])];
  const places = [...new Set(borders)].toSorted((one, other) => one - other);
  return places.slice(0, -1).map((start, index) => {
    const end = places[index + 1] ?? text.length;
    const entity = covering(shown, start);
    const personalData = covering(pii, start);
    return {
      start,
      text: text.slice(start, end),
      entity,
      personalData,
      endsEntity: entity?.end === end,
      endsPersonalData: personalData?.end === end,
    };
  });
}

function withoutOverlaps(entities: readonly Entity[]): Entity[] {
  const shown: Entity[] = [];
  const byLength = entities.toSorted((one, other) => other.end - other.start - (one.end - one.start));
  for (const entity of byLength) {
    if (shown.every(({ start, end }) => entity.end <= start || entity.start >= end)) shown.push(entity);
  }
  return shown;
}

const covering = <Mark extends { readonly start: number; readonly end: number }>(marks: readonly Mark[], at: number) =>
  marks.find(({ start, end }) => start <= at && at < end);

const withScore = (label: string, score: number | null): string =>
  score === null ? label : `${label} ${formatAbout(score)}`;
