/** A figure's label, or its short form where the label does not fit. */
export const FigureLabel = ({ label, short }: { label: string; short: string | undefined }) =>
  short ? (
    <span className="@container block">
      <span className="@max-[8.5rem]:hidden">{label}</span>
      <span className="@min-[8.5rem]:hidden">{short}</span>
    </span>
  ) : (
    label
  );
