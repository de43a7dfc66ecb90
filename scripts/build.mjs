import { prepare } from './prepare.mjs';

/** Installs what is missing and builds the dashboard, for those who start `server/src/main.ts` themselves. */
await prepare({ web: true });
