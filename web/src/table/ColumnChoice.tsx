import { IconColumns3 } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { TipIcon } from '../ui/TipIcon.tsx';
import type { Choice } from './column-choice.ts';

const ColumnMenu = lazy(async () => ({ default: (await import('./ColumnMenu.tsx')).ColumnMenu }));

/** The button that opens the choice of columns. */
export function ColumnChoice({ choice }: { choice: Choice }) {
  const [wasOpened, setWasOpened] = useState(false);
  const button = (
    <TipIcon
      label="Columns"
      variant="default"
      size="input-sm"
      aria-haspopup="menu"
      onClick={() => setWasOpened(true)}
    >
      <IconColumns3 size={18} stroke={1.75} aria-hidden />
    </TipIcon>
  );
  if (choice.choosable.length < 2) return null;
  if (!wasOpened) return button;
  return (
    <Suspense fallback={button}>
      <ColumnMenu choice={choice} />
    </Suspense>
  );
}
