import { Link } from '@tanstack/react-router';
import { deployment } from '../api/deployment.ts';
import classes from './PublicFooter.module.css';

export const PublicFooter = () => (
  <footer className={classes.footer}>
    <Link to="/privacy">Privacy Policy</Link>
    <Link to="/terms">Terms of Service</Link>
    <a href={`mailto:${deployment().support_email}`}>Support</a>
  </footer>
);
