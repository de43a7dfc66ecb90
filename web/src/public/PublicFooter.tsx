import { Link } from '@tanstack/react-router';
import { deployment } from '../api/deployment.ts';
import classes from './PublicFooter.module.css';

/** `inNewTab`: below a form, whose entries would be lost. */
export const PublicFooter = ({ inNewTab = false }: { inNewTab?: boolean }) => (
  <footer className={classes.footer}>
    <Link to="/privacy" {...(inNewTab && { target: '_blank' })}>
      Privacy Policy
    </Link>
    <Link to="/terms" {...(inNewTab && { target: '_blank' })}>
      Terms of Service
    </Link>
    <a href={`mailto:${deployment().support_email}`}>Support</a>
  </footer>
);
