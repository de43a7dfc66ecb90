import { tanstackRouter } from '@tanstack/router-plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** In development the service answers here; the browser sees one origin, as in production. */
const service = process.env.SIXDIGIT_SERVICE ?? 'http://127.0.0.1:3000';
const toService = { target: service, xfwd: false };

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    tanstackRouter({
      target: 'react',
      autoCodeSplitting: true,
      routesDirectory: `${import.meta.dirname}/src/routes`,
      generatedRouteTree: `${import.meta.dirname}/src/routeTree.gen.ts`,
      quoteStyle: 'single',
      semicolons: true,
      routeFileIgnorePattern: '\\.(test|module)\\.',
    }),
    react(),
  ],
  // The server puts a fresh nonce in place of this text with every page (see look/nonce.ts).
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: `${import.meta.dirname}/dist`,
    emptyOutDir: true,
    target: 'es2022',
    manifest: true,
    // data: URLs would need a wider content security policy
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // fewer files to ask for at the start: what nearly every screen needs comes in one
        codeSplitting: {
          // The operator console's screens share much, but customers never need it.
          groups: [{ name: 'start', minShareCount: 3, test: /^(?!.*[\\/]src[\\/]operator)/ }],
        },
      },
    },
  },
  server: {
    port: Number(process.env.WEB_PORT ?? 5173),
    proxy: {
      '/api/': toService,
      '/config.json': toService,
      '/sandbox/messages': toService,
    },
  },
});
