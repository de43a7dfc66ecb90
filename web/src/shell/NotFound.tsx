import { PageLink } from '../ui/links.tsx';
import classes from './NotFound.module.css';

export const NotFound = () => (
  <main className={classes.page}>
    <h1>Not Found</h1>
    <PageLink to="/">Back to the start</PageLink>
  </main>
);
