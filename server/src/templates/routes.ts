import {
  createTemplate,
  deleteTemplate,
  listTemplates,
  previewTemplate,
  updateTemplate,
} from '@sixdigit/contract/templates.ts';
import { withinListLimits } from '../platform/db/list-limits.ts';
import { type Server, serve } from '../platform/http/serve.ts';
import { type PreviewApp, previewOf } from './preview.ts';
import { createTemplateOf, deleteTemplateOf, listOfTemplates, updateTemplateOf } from './templates.ts';

export function templateRoutes(server: Server, app: PreviewApp): void {
  serve(server, listTemplates, ({ caller }) =>
    withinListLimits(app.db, caller.account_id, (db) => listOfTemplates(db, caller.account_id)),
  );
  serve(server, previewTemplate, ({ caller, body }) => previewOf(app, caller.account_id, body));
  serve(server, createTemplate, ({ caller, request, body }) => createTemplateOf(app, caller, request, body));
  serve(server, updateTemplate, ({ caller, request, params: { id }, body }) =>
    updateTemplateOf(app, caller, request, { id, body }),
  );
  serve(server, deleteTemplate, async ({ caller, request, params: { id } }) => {
    await deleteTemplateOf(app, caller, request, id);
    return undefined;
  });
}
