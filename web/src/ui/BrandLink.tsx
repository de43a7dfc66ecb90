import { Link } from '@tanstack/react-router';
import { deployment } from '../api/deployment.ts';
import classes from './BrandLink.module.css';
import { BrandMark } from './BrandMark.tsx';

/** The logo and the product's name on pages without the menu. */
export const BrandLink = () => (
  <Link to="/" className={classes.brand}>
    <BrandMark />
    {deployment().brand_name}
  </Link>
);
