import { runInBrowser } from './chromium.mjs';

await runInBrowser('e2e/screenshots.ts');
