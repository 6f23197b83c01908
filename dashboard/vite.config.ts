import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type ProxyOptions } from 'vite';
import { escapeHtml } from '#contract/shared/html.ts';
import { offer } from '../functions/contract/offer/current-offer.ts';
import { defaultOffer } from '../functions/contract/offer/default-offer.ts';
import type { Offer } from '../functions/contract/offer/offer.ts';
import { content, mantineStyles, routeFacts } from './content/vite-plugins.ts';
import { macros, texts } from './locales/vite-plugin.ts';

/** Local service that receives the API requests of `npx vite dashboard`. */
const service = 'http://127.0.0.1:8787';

/**
 * The service accepts only its own origin, so the origin of this server's page is replaced. Others are passed on
 * unchanged.
 */
const proxy: ProxyOptions = {
  target: service,
  changeOrigin: true,
  configure: (server) =>
    server.on('proxyReq', (outgoing, { headers: { origin, host } }) => {
      if (origin !== undefined && origin === `http://${host}`) outgoing.setHeader('origin', service);
    }),
};

/** Files that only a build contains. */
const publicText = String.raw`^/[^?]*(?:\.(?:md|txt|ico)|openapi\.json)$`;

/** The page's title before its code has loaded. */
const withProductName = (html: string): string =>
  html.replaceAll(defaultOffer.product.name, escapeHtml(offer.product.name));

/** The page loads the logo as a file. */
const logoFile = 'logo.svg';
const { logo } = offer.product;
const offerOfPage: Offer = { ...offer, product: { ...offer.product, logo: logo === null ? null : `/${logoFile}` } };
const logoAsFile: Plugin = {
  name: 'logo',
  generateBundle() {
    if (logo !== null) this.emitFile({ type: 'asset', fileName: logoFile, source: logo });
  },
};

export default defineConfig({
  define: { OFFER: JSON.stringify(process.env['OFFER'] ? JSON.stringify(offerOfPage) : null) },
  root: import.meta.dirname,
  plugins: [
    macros(),
    texts(),
    react(),
    content(),
    mantineStyles(),
    routeFacts(),
    { name: 'product-name', transformIndexHtml: withProductName },
    logoAsFile,
  ],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    // A single file for the code that most chunks share is smaller than many files. Lower and higher counts enlarge the
    // sign-in page.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 24 }] } } },
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/v1', '/openai', '/anthropic', '/_local', '/config.json', '/pricing', publicText].map((path) => [
        path,
        proxy,
      ]),
    ),
  },
});
