import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { RowData } from '@tanstack/react-table';
import { type ComponentProps, createContext, lazy, type ReactNode, Suspense, useContext } from 'react';
import { PageHeading } from '../ui/PageHeading.tsx';
import type { RowChoice } from '../ui/RowMenu.tsx';
import { TipIcon } from '../ui/TipIcon.tsx';
import { headingAction, ListScreen } from './ListScreen.tsx';
import type { ListState } from './list.ts';

/** What can be done with the rows of a list. */
interface RowActions<T, A extends string> {
  /** of the row, for the labels of its buttons */
  nameOf: (row: T) => string;
  /** those that the user may take */
  choicesOf: (row: T) => readonly RowChoice<A>[];
  onChoose: (action: A, row: T) => void;
}

// biome-ignore lint/suspicious/noExplicitAny: rows and actions of any list
const Actions = createContext<RowActions<any, any> | undefined>(undefined);

/** For cells, which are declared outside the screen. */
export const useRowActions = <T, A extends string>(): RowActions<T, A> | undefined => useContext(Actions);

/** Loaded with the first row that shows it, because menus are heavy. */
const RowMenu = lazy(async () => ({ default: (await import('../ui/RowMenu.tsx')).RowMenu }));

/** The actions of a row: in a menu, or each as an icon or a button. */
export function RowButtons<T>({ of, as = 'menu' }: { of: T; as?: 'menu' | 'icons' | 'buttons' }) {
  const actions = useRowActions<T, string>();
  const choices = actions?.choicesOf(of) ?? [];
  if (!actions || choices.length === 0) return null;
  const name = actions.nameOf(of);
  if (as === 'menu')
    return (
      <Suspense fallback={<span className="inline-block size-7" />}>
        <RowMenu name={name} choices={choices} onChoose={(action) => actions.onChoose(action, of)} />
      </Suspense>
    );
  return (
    <span className="inline-flex gap-1">
      {choices.map(({ action, label, Icon }) => {
        const verb = label.split(' ', 1);
        const onClick = (): void => actions.onChoose(action, of);
        return as === 'icons' ? (
          <TipIcon key={action} label={`${verb} ${name}`} onClick={onClick}>
            <Icon size={18} stroke={1.75} aria-hidden />
          </TipIcon>
        ) : (
          <Button
            key={action}
            variant="default"
            size="compact-sm"
            aria-label={`${verb} ${name}`}
            onClick={onClick}
          >
            {verb}
          </Button>
        );
      })}
    </span>
  );
}

interface Props<T extends RowData, S extends ListState, A extends string>
  extends ComponentProps<typeof ListScreen<T, S>> {
  title: string;
  /** below the title */
  about: ReactNode;
  /** false: the user may not create rows */
  create: { label: string; onClick: () => void } | false;
  /** stable columns and `compact` read them with `RowButtons` and `useRowActions` */
  actions: RowActions<T, A>;
}

/** A screen that lists what its users create, change and delete. */
export function ManagedList<T extends RowData, S extends ListState, A extends string>({
  title,
  about,
  create,
  actions,
  ...screen
}: Props<T, S, A>) {
  const button = create ? (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={create.onClick}>
      {create.label}
    </Button>
  ) : null;
  return (
    <Actions value={actions}>
      <PageHeading title={title} actions={headingAction(screen.list, screen.query, button)}>
        {about}
      </PageHeading>
      <ListScreen {...screen} empty={{ ...screen.empty, action: button }} />
    </Actions>
  );
}
