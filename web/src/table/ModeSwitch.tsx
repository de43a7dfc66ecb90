import classes from './ModeSwitch.module.css';

/** Rows made with live keys, or with test keys. */
export const LIST_MODES = ['live', 'test'] as const;
export type ListMode = (typeof LIST_MODES)[number];

const labels: Record<ListMode, string> = { live: 'Live', test: 'Test' };

/** Switches a list between live and test rows. Plain buttons, because the first screen has it. */
export const ModeSwitch = ({ mode, onChange }: { mode: ListMode; onChange: (mode: ListMode) => void }) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as an item of the toolbar
  <div className={classes.switch} role="group" aria-label="Mode">
    {LIST_MODES.map((value) => (
      <button
        key={value}
        type="button"
        className={classes.choice}
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
