import react from '@vitejs/plugin-react';
import { defineConfig, type ProxyOptions } from 'vite';
import { mantineStyles } from './content/mantine-styles.ts';
import { content } from './content/plugin.ts';

/** The service that `npx vite dashboard` passes the API's requests on to while the dashboard is worked on. */
const service = 'http://127.0.0.1:8787';

/** The service obeys its own page only: what this server's page sends comes to it as that one's, another page's as it is. */
const proxy: ProxyOptions = {
  target: service,
  changeOrigin: true,
  configure: (server) =>
    server.on('proxyReq', (outgoing, { headers: { origin, host } }) => {
      if (origin !== undefined && origin === `http://${host}`) outgoing.setHeader('origin', service);
    }),
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), content(), mantineStyles()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    // What most pages need is one file, which is smaller than many; more, and the sign-in page would load too much of it.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 17 }] } } },
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/v1', '/openai', '/docs/openapi.json', '/_local', '/config.json'].map((path) => [path, proxy]),
    ),
  },
});
