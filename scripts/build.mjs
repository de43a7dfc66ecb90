import { prepare } from './prepare.mjs';

/** Installs missing packages and builds the dashboard, for operators who start `server/src/main.ts` directly. */
await prepare({ web: true });
