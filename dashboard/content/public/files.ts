import { readFileSync } from 'node:fs';
import { apiDocumentPath, frontPage, pricingVariants, publicFiles } from '#contract/dashboard-config.ts';
import { guideMarkdown, loadGuides } from '../guides.ts';
import { documentFile } from '../reference.ts';
import { front } from './front.ts';
import { renderPage } from './page.ts';
import { faviconIco, pictureFile, previewPicture } from './picture.ts';
import { pricing } from './pricing.ts';
import { llmsText, pricingMarkdown, robotsText, securityText } from './texts.ts';

/** Files of the build that are complete without scripts, by path: pages, Markdown, pictures and texts for crawlers. */
export function publicContent(now: Date): ReadonlyMap<string, string | Buffer> {
  const guides = loadGuides();
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
