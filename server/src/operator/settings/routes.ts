import * as limits from '@sixdigit/contract/operator/limits.ts';
import * as settings from '@sixdigit/contract/operator/settings.ts';
import { type Server, serve } from '../../platform/http/serve.ts';
import type { Platform } from '../../platform/platform.ts';
import { changeLimits, limitsOfAccount } from './limits.ts';
import type { LiveApp } from './live-changes.ts';
import { changeSetting, settingChanges, settingsOf } from './settings.ts';

export function liveRoutes(server: Server, app: Platform & LiveApp): void {
  serve(server, settings.listSettings, async () => ({ settings: await settingsOf(app) }));
  serve(server, settings.updateSetting, ({ caller, params, body }) =>
    changeSetting(app, caller, params.name, body),
  );
  serve(server, settings.listSettingChanges, ({ params, query }) =>
    settingChanges(app.db, params.name, query),
  );
  serve(server, limits.getAccountLimits, ({ params }) => limitsOfAccount(app.db, params.id));
  serve(server, limits.updateAccountLimits, ({ caller, params, body }) =>
    changeLimits(app, caller, params.id, body),
  );
}
