import { use } from 'react';
import { Labels } from './labels.ts';
import classes from './table.module.css';

/** Rows made with live keys, or with test keys. */
export const LIST_MODES = ['live', 'test'] as const;
export type ListMode = (typeof LIST_MODES)[number];

const labels: Record<ListMode, string> = { live: 'Live', test: 'Test' };

/** Switches a list between live and test rows. Plain buttons, because the first screen has it. */
export function ModeSwitch({ mode, onChange }: { mode: ListMode; onChange: (mode: ListMode) => void }) {
  const isLabeled = use(Labels);
  const buttons = (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as an item of the toolbar
    <div
      className="inline-flex min-h-9 flex-none gap-0.5 self-stretch rounded-8 border border-border bg-sunken p-0.5 touch:py-0"
      role="group"
      aria-label="Mode"
    >
      {LIST_MODES.map((value) => (
        <button
          key={value}
          type="button"
          className={`${classes.mode} flex-1 cursor-pointer rounded-6 border-0 bg-transparent px-3 text-14 font-550 text-ink-soft hover:text-ink touch:-my-px touch:min-h-11`}
          aria-pressed={mode === value}
          onClick={() => {
            if (mode !== value) onChange(value);
          }}
        >
          {labels[value]}
        </button>
      ))}
    </div>
  );
  if (!isLabeled) return buttons;
  return (
    <div className="grid">
      <span className="text-14 font-550" aria-hidden>
        Mode
      </span>
      {buttons}
    </div>
  );
}
