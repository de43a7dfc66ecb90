import { deleteTemplate, listTemplates, type Template } from '@sixdigit/contract/templates.ts';
import { IconMessage2, IconPencil, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../accounts/role.ts';
import { call } from '../api/call.ts';
import { otherPages } from '../pages.ts';
import type { Compact } from '../table/CompactRow.tsx';
import { columnsOf } from '../table/columns.ts';
import { useList } from '../table/list.ts';
import { ManagedList, RowButtons } from '../table/ManagedList.tsx';
import { languageName } from '../ui/display-names.ts';
import { LazyActionDialog, lazyDialog } from '../ui/lazy-dialog.tsx';
import { countOf } from '../ui/numbers.ts';
import { useChosen, useOpened } from '../ui/opened.ts';
import type { RowChoice } from '../ui/RowMenu.tsx';
import { Time } from '../ui/Time.tsx';
import { templatePage, templateSearch } from './templates.ts';

const TemplateDialog = lazyDialog(async () => (await import('./TemplateForm.tsx')).TemplateDialog);

type Action = 'edit' | 'delete';
const ACTIONS: readonly RowChoice<Action>[] = [
  { action: 'edit', label: 'Edit Template', Icon: IconPencil },
  { action: 'delete', label: 'Delete Template', Icon: IconTrash },
];

/** Lists, creates, changes and deletes the templates of the account. */
export function Templates() {
  const list = useList(templateSearch);
  const query = useQuery(templatePage(list.search));
  const dialog = useOpened('dialog');
  const { row, opened, choose, close } = useChosen<Template, Action>();
  const may = useMay()('updateTemplate');
  return (
    <>
      <ManagedList
        title={otherPages.templates.title}
        about="Named texts for SMS and email in several languages. A send chooses one by its name."
        create={may && { label: 'Create Template', onClick: () => dialog.open('create') }}
        actions={{
          nameOf: ({ name }) => name,
          choicesOf: () => (may ? ACTIONS : []),
          onChoose: choose,
        }}
        label="Templates"
        noun="template(s)"
        usualRows={3}
        times="columns"
        placeholder="Search templates..."
        list={list}
        query={query}
        columns={templateColumns}
        columnsWidth={800}
        compact={compactTemplate}
        rowId={({ id }) => id}
        {...(may && { onOpen: (template: Template) => choose('edit', template) })}
        failure="Failed to fetch templates"
        empty={{
          icon: <IconMessage2 size={24} />,
          title: 'No templates',
          text: 'A template has a text per channel and language, with variables of your own.',
          noMatch: `No template matches “${list.search.search}”.`,
        }}
      />
      <TemplateDialog opened={dialog.opened === 'create'} onClose={dialog.close} template={undefined} />
      <TemplateDialog opened={opened === 'edit'} onClose={close} template={row} />
      <LazyActionDialog
        opened={opened === 'delete'}
        onClose={close}
        title="Delete Template"
        confirm="Delete Template"
        isDangerous
        of={row}
        run={({ id }) => call(deleteTemplate, { params: { id } })}
        success="Template deleted"
        failure="Failed to delete the template"
        refresh={[listTemplates]}
      >
        <p className="m-0 wrap-anywhere">
          Are you sure you want to delete the template "{row?.name}"? Sends that name it are refused from now
          on. This cannot be undone.
        </p>
      </LazyActionDialog>
    </>
  );
}

const languagesOf = ({ texts }: Template): string =>
  [...new Set(texts.map(({ locale }) => languageName(locale)))].join(', ');

const compactTemplate = (template: Template): Compact => ({
  title: template.name,
  details: [countOf(template.texts.length, 'text'), `version ${template.version}`, languagesOf(template)],
  action: <RowButtons of={template} />,
});

const column = columnsOf<Template>();
export const templateColumns = column.columns([
  column.accessor('name', {
    header: 'Name',
    meta: { isSortable: true },
    cell: ({ row: { original } }) => (
      <>
        <span className="block font-550 wrap-anywhere">{original.name}</span>
        <span className="block text-13 wrap-anywhere text-ink-soft">
          {original.variables.map((name) => `{${name}}`).join(' ')}
        </span>
      </>
    ),
  }),
  column.display({
    id: 'languages',
    header: 'Languages',
    cell: ({ row: { original } }) => languagesOf(original),
  }),
  column.accessor('version', { header: 'Version', meta: { width: '6rem', align: 'right' } }),
  column.accessor('created_at', {
    header: 'Created',
    meta: { isSortable: true, width: '12.25rem' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
  column.display({
    id: 'actions',
    header: 'Actions',
    meta: { isAction: true, width: '4rem', align: 'right' },
    cell: ({ row: { original } }) => <RowButtons of={original} />,
  }),
]);
