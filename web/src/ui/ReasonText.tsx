/** The machine-readable reason of a refusal. A long one breaks after an underscore. */
export const ReasonText = ({ reason }: { reason: string }) => (
  <span className="font-mono text-[0.71875rem] wrap-anywhere">
    {reason.split(/(?<=_)/).map((word) => [word, <wbr key={word} />])}
  </span>
);
