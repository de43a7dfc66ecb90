import classes from '../Operator.module.css';

const SHOWN = 8;

/** The effects of a change, before and after it is made. */
export const Differences = ({ changes, nothing }: { changes: readonly string[]; nothing: string }) =>
  changes.length === 0 ? (
    <p className={classes.soft}>{nothing}</p>
  ) : (
    <ul className={classes.changes}>
      {changes.slice(0, SHOWN).map((change) => (
        <li key={change}>{change}</li>
      ))}
      {changes.length > SHOWN ? <li>and {changes.length - SHOWN} more</li> : null}
    </ul>
  );
