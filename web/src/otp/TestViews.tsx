const views = [
  { value: 'list', label: 'Verifications' },
  { value: 'inbox', label: 'Test inbox' },
] as const;
type View = (typeof views)[number]['value'];

/** The tabs of test mode: the list and the test inbox. */
export const TestViews = ({ view, onChange }: { view: View; onChange: (view: View) => void }) => (
  <div className="mb-3.5 flex gap-1 border-b border-line" role="tablist" aria-label="Test mode">
    {views.map(({ value, label }, index) => (
      <button
        key={value}
        type="button"
        role="tab"
        aria-selected={view === value}
        tabIndex={view === value ? 0 : -1}
        className="-mb-px min-h-10 cursor-pointer border-0 border-b-2 border-transparent bg-transparent px-3.5 py-0 font-550 text-ink-soft hover:text-ink aria-selected:border-accent aria-selected:text-ink touch:min-h-11"
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
