import { createRequire } from 'node:module';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite';
import { contractValues, documentedFields } from './contract-values.ts';
import { earlyFiles, firstPaint } from './first-paint/first-paint.ts';
import { leanContract } from './lean-contract.ts';
import { pageList } from './page-list.ts';

/** The service's URL. In development, Vite proxies requests to it, so the browser sees one origin, as in production. */
const service = process.env.SIXDIGIT_SERVICE ?? 'http://127.0.0.1:3000';
const toService = { target: service, xfwd: false };

/** Modules that the first screen does not need, one file for each group that loads together. */
const MENUS =
  /@mantine[\\/]core[\\/]esm[\\/](utils[\\/]Floating|components[\\/]((Popover|Menu|Tooltip)[\\/]|Accordion[\\/]AccordionChevron|Radio[\\/]RadioIcon))|@mantine[\\/]hooks[\\/]esm[\\/]use-(long-press|click-outside)|web[\\/]src[\\/]ui[\\/]Menu\.|styles[\\/](Popover|Menu)\.layer\.css/;
const DIALOGS =
  /react-remove-scroll|react-style-singleton|use-sidecar|node_modules[\\/]use-callback-ref|node_modules[\\/]tslib|@mantine[\\/]hooks[\\/]esm[\\/]use-(focus-trap|focus-return|debounced-callback)|@mantine[\\/]core[\\/]esm[\\/]components[\\/]((Modal|ModalBase|Drawer|Overlay|FocusTrap)[\\/]|ScrollArea[\\/](?!utils[\\/]to-int))|web[\\/]src[\\/]ui[\\/](Dialog|Modal|RevealSecretDialog)\.|styles[\\/](Overlay|ModalBase|Drawer|Modal)\.layer\.css/;
const FORMS =
  /@mantine[\\/]form|@mantine[\\/]core[\\/]esm[\\/](utils[\\/]InlineInput|components[\\/](Switch|PasswordInput|SegmentedControl|Textarea|FloatingIndicator)[\\/])|web[\\/]src[\\/](form[\\/](Form|NewPasswordFields)|ui[\\/](SegmentedControl|[Ss]witch|PasswordInput))\.|styles[\\/](SegmentedControl|FloatingIndicator|InlineInput|Switch|PasswordInput)\.layer\.css/;

const FORM_DIALOGS = /web[\\/]src[\\/]form[\\/](FormDialog|RotateSecretDialog)\./;

/** Not part of the form fields' file, because the account's settings, which show most other fields, do not need it. */
const CHECKBOXES =
  /@mantine[\\/]core[\\/]esm[\\/]components[\\/]Checkbox(?![\\/]CheckIcon)[\\/]|web[\\/]src[\\/]ui[\\/]Checkbox\.|styles[\\/]Checkbox\.layer\.css/;
const CODES =
  /web[\\/]src[\\/](form[\\/]CodeInput|accounts[\\/](VerifyCode|ResendButton|resend|enter|code-step|auth))\./;

const NUMBERS =
  /react-number-format|@mantine[\\/]core[\\/]esm[\\/]components[\\/]NumberInput[\\/]|web[\\/]src[\\/]ui[\\/]NumberInput\.|styles[\\/]NumberInput\.layer\.css/;

const TABS =
  /@mantine[\\/]core[\\/]esm[\\/](components[\\/]Tabs[\\/]|core[\\/]utils[\\/]get-safe-id)|web[\\/]src[\\/]ui[\\/][Tt]abs\.|styles[\\/]Tabs\.layer\.css/;
const UNSAVED = /react-router[\\/]dist[\\/]esm[\\/]useBlocker|web[\\/]src[\\/]form[\\/]UnsavedChanges\./;

/** Small files that most other screens need. They come with the first screen. */
const SMALL =
  /fast-deep-equal|web[\\/]src[\\/](ui[\\/](ErrorAlert|Panel|Loaded|lazy-dialog|CopyButton)|api[\\/]action|payments[\\/]price-list)\./;

/** Where the first screen begins: the app, its frame, and the list of verifications. */
const ENTRIES = /web[\\/]src[\\/](main|frame[\\/]AppLayout|otp[\\/]Verifications)\.tsx$/;

type ModuleInfo = { importedIds: readonly string[]; dynamicallyImportedIds: readonly string[] } | null;
let first: Set<string> | undefined;
/** All modules that the first screen imports, directly or not, without those that it loads later. */
function ofFirstScreen(infoOf: (id: string) => ModuleInfo): Set<string> {
  if (first) return first;
  first = new Set();
  const entries = new Set([`${import.meta.dirname}/src/main.tsx`]);
  const seen = new Set<string>();
  const find = (id: string): void => {
    if (seen.has(id)) return;
    seen.add(id);
    if (ENTRIES.test(id)) entries.add(id);
    const info = infoOf(id);
    for (const next of [...(info?.importedIds ?? []), ...(info?.dynamicallyImportedIds ?? [])]) find(next);
  };
  for (const id of [...entries]) find(id);
  const add = (id: string): void => {
    if (first?.has(id)) return;
    first?.add(id);
    for (const next of infoOf(id)?.importedIds ?? []) add(next);
  };
  for (const id of entries) add(id);
  return first;
}

/** Excludes the modules that they import. */
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

/**
 * Modules that the dashboard never uses, although its packages import them: infinite queries, and the conversion of schemas, which
 * would be a tenth of zod. Their exports become functions that fail.
 */
const withoutUnused: Plugin = {
  name: 'without-unused',
  apply: 'build',
  load: {
    filter: {
      id: /query-core[\\/]build[\\/]modern[\\/]infiniteQueryBehavior\.js$|zod[\\/]v4[\\/]core[\\/](json-schema-processors|to-json-schema)\.js$/,
    },
    handler(id) {
      const names = Object.keys(createRequire(import.meta.url)(id)).map((name) => `fail as ${name}`);
      return `const fail = () => () => { throw new Error('The build leaves this out'); }; export { ${names.join(', ')} };`;
    },
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    react(),
    tailwindcss(),
    firstPaint,
    preloadTypeface,
    earlyFiles,
    withoutUnused,
    contractValues,
    documentedFields,
    leanContract,
    pageList,
  ],
  resolve: {
    // React 18 and later have the hook that the shim brings.
    alias: [{ find: /^use-sync-external-store\/shim\//, replacement: 'use-sync-external-store/' }],
  },
  // The server replaces this text with a fresh nonce in every page (see src/theme/nonce.ts).
  html: { cspNonce: '__CSP_NONCE__' },
  // Class names are part of the first screen's code. The default names, which contain the file name, would add 1 kB.
  css: { modules: { generateScopedName: '[hash:base64:5]' } },
  build: {
    outDir: `${import.meta.dirname}/dist`,
    emptyOutDir: true,
    target: 'es2022',
    manifest: true,
    // Browsers without modulepreload load each file when it is imported.
    modulePreload: {
      polyfill: false,
      // The page preloads these files, so the lists of files for other screens need not name them.
      resolveDependencies: (_file, needed, { hostType }) =>
        hostType === 'html' ? needed : needed.filter((file) => !/\/(start|rolldown-runtime)-/.test(file)),
    },
    // data: URLs would need a wider content security policy
    assetsInlineLimit: 0,
    rolldownOptions: {
      // A module of the contract is loaded only for what is used of it. Its settings of zod come with its fields.
      treeshake: { moduleSideEffects: [{ test: /contract[\\/]src[\\/]/, sideEffects: false }] },
      output: {
        // The first screen lists all files by name. Hashes of the usual length would add a quarter of a kilobyte.
        entryFileNames: 'assets/[name]-[hash:7].js',
        chunkFileNames: 'assets/[name]-[hash:7].js',
        codeSplitting: {
          groups: [
            { name: 'floating', test: /@floating-ui/, priority: 5, ...alone },
            { name: 'menus', test: MENUS, priority: 4, ...alone },
            { name: 'dialogs', test: DIALOGS, priority: 3, ...alone },
            { name: 'forms', test: FORMS, priority: 2, ...alone },
            { name: 'form-dialogs', test: FORM_DIALOGS, priority: 2, ...alone },
            { name: 'checkboxes', test: CHECKBOXES, priority: 2, ...alone },
            { name: 'codes', test: CODES, priority: 2, ...alone },
            { name: 'numbers', test: NUMBERS, priority: 2, ...alone },
            { name: 'tabs', test: TABS, priority: 2, ...alone },
            { name: 'unsaved', test: UNSAVED, priority: 2, ...alone },
            // All other modules that the first screen shares with other screens are in one file, because fewer requests start
            // faster. Modules that it does not import stay in the files of the screens that do.
            {
              debugName: 'start',
              name: (id, context) =>
                SMALL.test(id) || ofFirstScreen((of) => context.getModuleInfo(of)).has(id) ? 'start' : null,
              minShareCount: 3,
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
      '/llms.txt': toService,
      '^/docs/[a-z-]+\\.md$': toService,
    },
  },
});
