import { tanstackRouter } from '@tanstack/router-plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite';

/** In development the service answers here; the browser sees one origin, as in production. */
const service = process.env.SIXDIGIT_SERVICE ?? 'http://127.0.0.1:3000';
const toService = { target: service, xfwd: false };

/** What the first screen does not need: a file for each occasion. */
const MENUS = /@mantine[\\/]core[\\/]esm[\\/](utils[\\/]Floating|components[\\/](Popover|Menu|Tooltip)[\\/])/;
const DIALOGS =
  /react-remove-scroll|react-style-singleton|use-sidecar|node_modules[\\/]use-callback-ref|use-focus-trap|@mantine[\\/]core[\\/]esm[\\/]components[\\/]((Modal|ModalBase|Drawer|Overlay|FocusTrap)[\\/]|ScrollArea[\\/](?!utils[\\/]to-int))|web[\\/]src[\\/]ui[\\/](Dialog|SideSheet|ConfirmDialog)\./;
const FORMS =
  /@mantine[\\/]form|@mantine[\\/]core[\\/]esm[\\/](utils[\\/]InlineInput|components[\\/](Checkbox(?![\\/]CheckIcon)|Switch|PasswordInput|SegmentedControl|Textarea|FloatingIndicator)[\\/])|web[\\/]src[\\/](form[\\/](Form|useBodyForm|CodeInput|NewPasswordFields)|accounts[\\/](VerifyCode|ResendButton|resend|enter|code-step|auth))\./;

const NUMBERS = /react-number-format|@mantine[\\/]core[\\/]esm[\\/]components[\\/]NumberInput[\\/]/;

/** Without the modules that they import. */
const alone = { includeDependenciesRecursively: false };

/** Makes the browser load the typeface together with the scripts, instead of after the style sheet. */
const preloadTypeface: Plugin = {
  name: 'preload-typeface',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle }): HtmlTagDescriptor[] =>
      Object.keys(bundle ?? {})
        .filter((file) => /figtree-latin-wght-normal.*\.woff2$/.test(file))
        .map((file) => ({
          tag: 'link',
          attrs: { rel: 'preload', href: `/${file}`, as: 'font', type: 'font/woff2', crossorigin: true },
          injectTo: 'head',
        })),
  },
};

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
    preloadTypeface,
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
        codeSplitting: {
          groups: [
            { name: 'floating', test: /@floating-ui/, priority: 5, ...alone },
            { name: 'menus', test: MENUS, priority: 4, ...alone },
            { name: 'dialogs', test: DIALOGS, priority: 3, ...alone },
            { name: 'forms', test: FORMS, priority: 2, ...alone },
            { name: 'numbers', test: NUMBERS, priority: 2, ...alone },
            // The rest of what screens share comes in one file, because fewer requests start faster. The operator console's screens
            // share much, but customers never need it. Those of Settings share dialogs, which must not load with the first screen.
            {
              name: 'start',
              minShareCount: 3,
              test: /^(?!.*[\\/]src[\\/](operator|accounts[\\/]settings)[\\/])/,
              priority: 1,
            },
          ],
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
