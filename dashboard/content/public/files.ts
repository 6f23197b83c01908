import { readFileSync } from 'node:fs';
import {
  apiDocumentPath,
  dashboardPages,
  frontPage,
  originMark,
  type PricingSettings,
  pricingVariants,
  publicFiles,
} from '#contract/dashboard-config.ts';
import { offer } from '#contract/offer/current-offer.ts';
import { isDocumentOffered, isSold } from '#contract/offered-services.ts';
import { claim } from '../../src/lib/offer.ts';
import type { GuideEntry } from '../../src/pages/guides/guide.ts';
import { guideMarkdown, isGuideOffered, loadGuides, markdownTable } from '../guides.ts';
import { documentFile } from '../reference.ts';
import { front, services as offeredServices } from './front.ts';
import { productLinks, renderPage } from './page.ts';
import { faviconIco, pictureFile, previewPicture } from './picture.ts';
import { pricing, pricingFacts, pricingLead, pricingTitle } from './pricing.ts';

/** Files of the build that are complete without scripts, by path: pages, Markdown, pictures and texts for crawlers. */
export function publicContent(now: Date): ReadonlyMap<string, string | Buffer> {
  const guides = loadGuides().filter(({ slug }) => isGuideOffered(`/guides/${slug}`));
  const security = securityText(now);
  const texts: [string, string][] = [
    ['/llms.txt', llmsText(guides)],
    ['/robots.txt', robotsText()],
    ...guides.map(({ slug, title, blocks }): [string, string] => [`/guides/${slug}.md`, guideMarkdown(title, blocks)]),
    ...(security === null ? [] : [['/.well-known/security.txt', security] satisfies [string, string]]),
    ...pricingVariants.map((settings): [string, string] => [
      publicFiles(settings)['/pricing.md'],
      pricingMarkdown(settings, now),
    ]),
  ];
  return new Map<string, string | Buffer>([
    [frontPage, renderPage(front)],
    ...pricingVariants.map((settings): [string, string] => [
      publicFiles(settings)['/pricing'],
      renderPage(pricing(settings, now)),
    ]),
    ...texts.map(([path, text]): [string, string] => [path, `${text}\n`]),
    [apiDocumentPath, readFileSync(documentFile, 'utf8')],
    ['/favicon.ico', faviconIco()],
    [`/${pictureFile}`, previewPicture()],
  ]);
}

const { name, supportEmail } = offer.product;
const link = (title: string, url: string, note = ''): string => `- [${title}](${url})${note && `: ${note}`}`;

/** An index for assistants (llmstxt.org). */
function llmsText(guides: readonly GuideEntry[]): string {
  return [
    `# ${name}`,
    `> ${claim()} Requests need an API key and are paid with credits.`,
    [
      `- Base URL of the API: ${originMark}/api and ${originMark}/v1`,
      `- Base URL for OpenAI SDKs: ${originMark}/openai/v1`,
      `- Base URL for Anthropic SDKs and Claude Code: ${originMark}/anthropic`,
      `- Services: ${offeredServices.map(({ title }) => title).join(', ')}`,
      ...(supportEmail === null ? [] : [`- Support: ${supportEmail}`]),
    ].join('\n'),
    '## Reference',
    [
      link('OpenAPI document', originMark + apiDocumentPath, 'all operations, fields and errors'),
      link(pricingTitle, `${originMark}/pricing.md`, 'model ids, limits, plans and prices'),
    ].join('\n'),
    '## Guides',
    guides
      .filter(({ slug }) => isDocumentOffered({ href: `/guides/${slug}` }, (service) => isSold[service]))
      .map(({ slug, title, lead }) => link(title, `${originMark}/guides/${slug}.md`, lead))
      .join('\n'),
    ...(productLinks.length > 0
      ? ['## Optional', productLinks.map(({ url, title }) => link(title, url)).join('\n')]
      : []),
  ].join('\n\n');
}

function pricingMarkdown(settings: PricingSettings, now: Date): string {
  const { models, plans, packs, services, questions } = pricingFacts(settings, now);
  const plansTable = plans.map(({ title, price, isPaid, sales, isRecommended, facts }) => [
    isRecommended ? `${title} (recommended)` : title,
    [price, isPaid && ' per month', sales && `: contact ${sales.email ?? 'sales'}`].filter(Boolean).join(''),
    facts.map(({ before = '', models: ids = '', after = '' }) => before + ids + after).join('; '),
  ]);
  const modelsTable = models.map(({ id, title, description, notes, prices, ...model }) => [
    `\`${id}\``,
    [title, description, ...notes].filter(Boolean).join('. '),
    model.capabilities,
    model.contextWindow,
    model.maxOutput,
    model.plan,
    prices.join('; '),
  ]);
  return [
    `# ${pricingTitle}`,
    pricingLead,
    '## Plans',
    markdownTable(['Plan', 'Price', 'Includes'], plansTable),
    ...(packs.length > 0
      ? ['### Credit packs', packs.map(({ credits, price }) => `- ${credits}: ${price}`).join('\n')]
      : []),
    '## Models',
    markdownTable(['Id', 'Model', 'For', 'Context window', 'Maximum output', 'From plan', 'Price'], modelsTable),
    ...(services.length > 0
      ? [
          '## Services',
          markdownTable(
            ['Service', 'Price'],
            services.map(({ title, price }) => [title, price]),
          ),
        ]
      : []),
    '## Questions',
    ...questions.flatMap(({ question, answer }) => [`### ${question}`, answer]),
  ].join('\n\n');
}

/** Crawlers read the public pages. Pages of the dashboard and the API have nothing to index. */
function robotsText(): string {
  const open = new Set(['/', '/docs']);
  const closed = dashboardPages.filter((path) => !open.has(path) && !path.startsWith('/guides'));
  return [
    'User-agent: *',
    ...[...closed, '/api/', '/v1/', '/openai/', '/anthropic'].map((path) => `Disallow: ${path}`),
  ].join('\n');
}

const validDays = 364;

/** RFC 9116, which requires an expiry less than a year ahead. Null without a contact. */
function securityText(now: Date): string | null {
  if (supportEmail === null) return null;
  const expires = new Date(now.getTime() + validDays * 86_400_000);
  return [
    `Contact: mailto:${supportEmail}`,
    `Expires: ${expires.toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${originMark}/.well-known/security.txt`,
  ].join('\n');
}
