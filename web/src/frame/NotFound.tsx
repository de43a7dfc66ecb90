import { BrandMark } from '../ui/BrandMark.tsx';
import { ButtonLink } from '../ui/links.tsx';
import classes from './NotFound.module.css';

export const NotFound = () => (
  <main className={classes.page}>
    <BrandMark />
    <h1>Not Found</h1>
    <p>Nothing is at this address. The link may be old or mistyped.</p>
    <ButtonLink to="/" variant="default">
      Back to the start
    </ButtonLink>
  </main>
);
