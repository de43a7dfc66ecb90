import classes from './TestViews.module.css';

const views = [
  { value: 'list', label: 'Verifications' },
  { value: 'inbox', label: 'Test inbox' },
] as const;
type View = (typeof views)[number]['value'];

/** The tabs of test mode: the list, and the messages as they would have arrived. */
export const TestViews = ({ view, onChange }: { view: View; onChange: (view: View) => void }) => (
  <div className={classes.tabs} role="tablist" aria-label="Test mode">
    {views.map(({ value, label }, index) => (
      <button
        key={value}
        type="button"
        role="tab"
        aria-selected={view === value}
        tabIndex={view === value ? 0 : -1}
        className={classes.tab}
        onClick={() => onChange(value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key !== 'ArrowRight' && key !== 'ArrowLeft') return;
          const other = currentTarget.parentElement?.children[1 - index];
          (other as HTMLElement | undefined)?.focus();
          onChange(views[1 - index]?.value ?? 'list');
        }}
      >
        {label}
      </button>
    ))}
  </div>
);
