import type { Route } from '#contract/route.ts';
import { allRoutes } from '#contract/routes.ts';
import { escapeHtml, pageLayout } from './page-layout.ts';
import { curlLine, type Status } from './status.ts';

/** What a person sees at `/`: that it runs, how to call it, as whom, and what there is to call. */
export function homePage(status: Status): string {
  return pageLayout('Text AI platform', [header(status), links, example(status), demoAccount(status), api].join('\n'));
}

const header = ({ ready }: Status): string => `<header>
<h1>Text AI platform</h1>
<p class="lead">${ready ? '<span class="dot"></span>Running on this machine: accounts, plans, metered credits and text inference.' : 'Starting …'}</p>
</header>`;

const links = `<nav>
<a href="/_local/inbox">Inbox</a>
<a href="#api">API</a>
<a href="/_local/status">Status</a>
<a href="/_local/clock">Clock</a>
</nav>`;

function example(status: Status): string {
  const line = curlLine(status);
  if (line === undefined) return '';
  return `<section>
<h2>Ask a model</h2>
<pre>${escapeHtml(line)}</pre>
</section>`;
}

function demoAccount({ demo, apiUrl, inferenceUrl }: Status): string {
  const rows = [
    ...(demo ? [['Demo account', demo.email] as const, ['Password', demo.password] as const] : []),
    ['Accounts and credits', apiUrl] as const,
    ['Models', inferenceUrl] as const,
  ];
  return `<section>
<h2>Account and addresses</h2>
<dl>${rows.map(([term, value]) => `<dt>${term}</dt><dd><code>${escapeHtml(value)}</code></dd>`).join('')}</dl>
</section>`;
}

const operation = ({ method, path, summary, credential }: Route): string =>
  `<tr><td><code>${method} ${escapeHtml(path)}</code></td><td>${escapeHtml(summary)}</td><td>${credential.replace('key', 'API key')}</td></tr>`;

const api = `<section id="api">
<h2>API</h2>
<div class="scroll"><table>
<thead><tr><th>Operation</th><th>What it does</th><th>Credential</th></tr></thead>
<tbody>${allRoutes.map(operation).join('\n')}</tbody>
</table></div>
</section>`;
